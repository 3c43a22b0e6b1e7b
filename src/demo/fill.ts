/** Fills an empty bank with the demo questions and the simulated responses to them. */
import type { ResponseInput } from '../schemas/response.ts';
import type { Engine } from '../store/db.ts';
import { createQuestions } from '../store/questions/questions.ts';
import { recordResponses } from '../store/responses/responses.ts';
import { readQuestions } from './questions.ts';
import { simulateResponses } from './simulation.ts';

/** Responses that one transaction stores. */
const BATCH_SIZE = 10_000;

export interface Filled {
  questions: number;
  responses: number;
}

export async function fillBank(engine: Engine, signal?: AbortSignal): Promise<Filled> {
  const inputs = readQuestions();
  const by = { client: 'admin', key: null };
  const creation = { inputs, many: true, mayApprove: true, by };
  const { stored } = await engine.write(createQuestions, creation);
  const filled = { questions: stored.length, responses: 0 };
  const store = async (batch: ResponseInput[]) => {
    signal?.throwIfAborted();
    await engine.write(recordResponses, { inputs: batch, many: true, at: Date.now(), visibility: 'all' });
    filled.responses += batch.length;
  };
  let batch: ResponseInput[] = [];
  const ids = stored.map(({ id }) => id);
  for (const responses of simulateResponses(inputs, ids)) {
    batch.push(...responses);
    if (batch.length < BATCH_SIZE) continue;
    await store(batch);
    batch = [];
  }
  if (batch.length > 0) await store(batch);
  return filled;
}
