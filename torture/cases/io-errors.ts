/**
 * Disk errors. The service runs with disk-shim.c, which fails the k-th operation on the database
 * files, once or until the fault is over, while writers and readers send requests.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import type { TortureCase } from '../case.ts';
import { compileDiskShim, DiskFaults, FAULT_KINDS, type Fault } from '../support/disk-shim.ts';
import { checkImage } from '../support/image.ts';
import { Model } from '../support/model.ts';
import { observe } from '../support/observe.ts';
import { Service, StartFailure } from '../support/service.ts';
import { Writer, type Writers } from '../support/writers.ts';

const WRITERS = 4;
/** Requests of a round, unless its fault has come and gone earlier. */
const REQUESTS = 50;
/** Requests of each writer after the first failed operation: while the fault lasts, and after it. */
const REQUESTS_AFTER_FAULT = 2;
const ROUNDS_PER_BANK = 40;
/** Operations of a start, roughly: a start fails at a random one of these. */
const START_OPERATIONS = 80;
/**
 * Failing reads are injected at a start only: SQLite reports EIO of a read as a malformed database,
 * which looks the same as real damage.
 */
const { write, sync, truncate, open, read } = FAULT_KINDS;
const CHANGES = write | sync | truncate | open;
const ERRORS = ['EIO', 'ENOSPC'] as const;

interface Tally {
  rounds: number;
  failed: number;
  refusedStarts: number;
  acknowledged: number;
  violations: string[];
}

interface Bank {
  env: Record<string, string>;
  folder: string;
  faults: DiskFaults;
  shared: Writers;
  writers: Writer[];
}

async function openBank(folder: string, library: string, random: Random): Promise<Bank> {
  mkdirSync(folder);
  const faults = new DiskFaults(join(folder, 'faults'));
  const data = join(folder, 'data');
  const env = {
    QUAESTOR_DATA_DIR: data,
    ...{ LD_PRELOAD: library, DISK_SHIM_FOLDER: data, DISK_SHIM_FAULTS: faults.path },
  };
  const shared: Writers = {
    ...{ model: new Model(), random, service: await Service.start(env), violations: [], acknowledged: 0 },
    now: () => 0,
  };
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(shared, i));
  return { env, folder: data, faults, shared, writers };
}

/** Sends requests until enough have been sent, or the fault has occurred. */
async function sendRequests({ faults, shared, writers }: Bank): Promise<void> {
  let sent = 0;
  await Promise.all(
    writers.map(async (writer) => {
      for (let after = 0; sent < REQUESTS && after < REQUESTS_AFTER_FAULT; sent++) {
        if (faults.failed > 0) after++;
        if (shared.random.maybe(0.2)) await writer.read();
        else await writer.step();
      }
    }),
  );
}

/** Compares what is stored with what was acknowledged, once nothing fails any more. */
async function checkService({ shared, writers }: Bank): Promise<void> {
  const { service, model, violations } = shared;
  if (!service.running) violations.push(`the service has ended:\n${service.output()}`);
  else {
    await Promise.all(writers.map((writer) => writer.repeat()));
    const stored = await observe(service);
    violations.push(...stored.violations, ...model.compare(stored.observation));
  }
}

async function runFault(bank: Bank, fault: Fault): Promise<void> {
  const { faults } = bank;
  faults.arm(fault, CHANGES);
  await sendRequests(bank);
  faults.heal();
  await checkService(bank);
}

/** Kills the service, lets a start fail at a random operation, and checks the bank. */
async function runStart({ env, folder, faults, shared }: Bank, tally: Tally): Promise<void> {
  const { random, model, violations } = shared;
  const { token } = shared.service;
  await shared.service.end('SIGKILL');
  const fault = {
    at: 1 + random.below(START_OPERATIONS),
    error: random.pick(ERRORS),
    lasts: random.maybe(0.5),
  };
  faults.arm(fault, CHANGES | read);
  try {
    shared.service = await Service.start(env, token);
  } catch (error) {
    tally.refusedStarts++;
    if (!(error instanceof StartFailure)) throw error;
    if (!/Quaestor cannot start/.test(error.message))
      violations.push(`a start with ${JSON.stringify(fault)}: ${error.message}`);
  }
  faults.heal();
  await shared.service.end('SIGKILL');
  violations.push(...(await checkImage(folder, model, Number.MAX_VALUE)));
}

export const ioErrors: TortureCase = {
  name: 'io-errors',
  promise: 'a failing disk returns 503 or 507, loses nothing acknowledged, and service resumes (SQLite)',
  // In the long form each operation of the script, with both errors, and some more.
  rounds: { short: 25, long: 4000 },
  run: async ({ seed, rounds, expired, progress }) => {
    const scratch = tempFolder();
    const shim = compileDiskShim(scratch);
    const tally: Tally = { rounds: 0, failed: 0, refusedStarts: 0, acknowledged: 0, violations: [] };
    const { violations } = tally;
    if ('skipped' in shim) {
      removeFolder(scratch);
      return { rounds: 0, figures: {}, violations, skipped: shim.skipped };
    }
    let operations = 0;
    try {
      for (let i = 0; tally.rounds < rounds && !expired() && violations.length === 0; i++) {
        const random = createRandom(seed + i);
        const bank = await openBank(join(scratch, `bank-${i}`), shim.library, random);
        const { shared, faults } = bank;
        if (operations === 0) {
          faults.count(CHANGES);
          await sendRequests(bank);
          operations = faults.operations;
        }
        for (let round = 0; round < ROUNDS_PER_BANK && tally.rounds < rounds; round++) {
          if (expired() || violations.length > 0) break;
          // Each operation in turn where the rounds suffice, else a sample spread over them.
          const step = Math.max(1, (2 * operations) / rounds);
          const k = 1 + (Math.floor((tally.rounds >> 1) * step) % operations);
          const fault = { at: k, error: ERRORS[tally.rounds % 2]!, lasts: random.maybe(0.5) };
          await runFault(bank, fault);
          tally.failed += faults.failed;
          const label = `seed ${seed + i} round ${round}: ${JSON.stringify(fault)}`;
          violations.push(...shared.violations.map((text) => `${label}: ${text}`));
          progress(++tally.rounds);
        }
        shared.violations.length = 0;
        await runStart(bank, tally);
        violations.push(...shared.violations.map((text) => `seed ${seed + i} restart: ${text}`));
        tally.acknowledged += shared.acknowledged;
        faults.close();
        removeFolder(join(scratch, `bank-${i}`));
      }
      if (tally.rounds > 0 && tally.failed === 0) violations.push('no operation has failed');
    } finally {
      removeFolder(scratch);
    }
    const figures = {
      script_operations: operations,
      failed_operations: tally.failed,
      refused_starts: tally.refusedStarts,
      acknowledged: tally.acknowledged,
    };
    return { rounds: tally.rounds, figures, violations };
  },
};
