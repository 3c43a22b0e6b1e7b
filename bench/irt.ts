/**
 * Benchmarks IRT calibration on simulated responses: time, iterations, and distance to the true
 * parameters.
 */
import { parseArgs } from 'node:util';
import { calibrate } from '../src/analyses/irt/calibration/calibrate.ts';
import { getGuessingPrior } from '../src/analyses/irt/calibration/priors.ts';
import type { Scores } from '../src/analyses/shared/responses.ts';
import { Ticker } from '../src/concurrency/ticker.ts';
import { mulberry32 } from '../test/support/random.ts';
import { format, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '5000x40,20000x100' },
    models: { type: 'string', default: '1pl,2pl,3pl' },
    /** Proportions of responses that are missing at random. */
    missing: { type: 'string', default: '0,0.3' },
    tolerance: { type: 'string', default: '1e-6' },
  },
});
const MODELS = ['1pl', '2pl', '3pl'] as const;
type Model = (typeof MODELS)[number];

interface Simulated {
  scores: Scores;
  discrimination: Float64Array;
  difficulty: Float64Array;
  ability: Float64Array;
}

/**
 * Normal abilities and difficulties, log-normal discriminations (a common one for the 1PL),
 * guessing from 0.1 to 0.3 for the 3PL.
 */
function simulate(cases: number, items: number, model: Model, missing: number): Simulated {
  const random = mulberry32(20_260_101);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const discrimination = Float64Array.from(
    { length: items },
    () => 1.1 * Math.exp(model === '1pl' ? 0 : 0.3 * normal()),
  );
  const difficulty = Float64Array.from({ length: items }, () => 1.2 * normal());
  const guessing = Float64Array.from({ length: items }, () => (model === '3pl' ? 0.1 + 0.2 * random() : 0));
  const ability = Float64Array.from({ length: cases }, normal);
  const starts = new Uint32Array(cases + 1);
  const item = new Uint32Array(cases * items);
  const right = new Uint8Array(cases * items);
  let n = 0;
  for (let c = 0; c < cases; c++) {
    for (let j = 0; j < items; j++) {
      if (missing > 0 && random() < missing) continue;
      const known = 1 / (1 + Math.exp(-discrimination[j]! * (ability[c]! - difficulty[j]!)));
      item[n] = j;
      right[n++] = random() < guessing[j]! + (1 - guessing[j]!) * known ? 1 : 0;
    }
    starts[c + 1] = n;
  }
  const scores = { cases, items, starts, item: item.subarray(0, n), right: right.subarray(0, n) };
  return { scores, discrimination, difficulty, ability };
}

/** Root mean square error. */
function computeRmse(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i]! - other[i]!) ** 2;
  return Math.sqrt(sum / one.length);
}

async function measure(cases: number, items: number, model: Model, missing: number) {
  const simulated = simulate(cases, items, model, missing);
  await waitUntilIdle();
  const [began, used] = [performance.now(), process.cpuUsage()];
  const found = await calibrate(
    simulated.scores,
    {
      model,
      priors: { guessing: Array.from({ length: items }, () => getGuessingPrior(5)) },
      tolerance: Number(values.tolerance),
      max_iterations: 2000,
    },
    new Ticker(),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  return {
    cases,
    items,
    model,
    missing,
    cpu: (user + system) / 1e6,
    seconds,
    memory: process.resourceUsage().maxRSS / 1024,
    iterations: found.iterations,
    converged: found.converged,
    gradient: found.gradient,
    log_likelihood: found.logLikelihood,
    discrimination: computeRmse(found.discrimination, simulated.discrimination),
    difficulty: computeRmse(
      found.discrimination.map((discrimination, j) => -found.intercept[j]! / discrimination),
      simulated.difficulty,
    ),
    ability: computeRmse(found.ability, simulated.ability),
  };
}

await runBenchmark(async () => {
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const size of values.sizes.split(',')) {
    const [cases, items] = size.split('x').map(Number) as [number, number];
    for (const missing of values.missing.split(',').map(Number))
      for (const model of MODELS.filter((name) => values.models.split(',').includes(name)))
        results.push(await measure(cases, items, model, missing));
  }
  const rows = results.map((result) => [
    `${result.model} ${format.integer(result.cases)} × ${format.integer(result.items)}${result.missing ? `, ${100 * result.missing} % missing` : ''}`,
    result.cpu.toFixed(2),
    result.seconds.toFixed(2),
    format.integer(result.memory),
    `${result.iterations}${result.converged ? '' : ' (not converged)'}`,
    result.gradient.toExponential(0),
    result.log_likelihood.toFixed(3),
    result.discrimination.toFixed(4),
    result.difficulty.toFixed(4),
    result.ability.toFixed(3),
  ]);
  const head = [
    '',
    'cpu s',
    's',
    'peak MiB',
    'iterations',
    'gradient',
    'log-likelihood',
    'discrimination',
    'difficulty',
    'ability',
  ];
  console.log(
    `The last three columns are root mean square errors against the true values.\n\n${format.table(head, rows)}`,
  );
  writeResults('irt', { results });
});
