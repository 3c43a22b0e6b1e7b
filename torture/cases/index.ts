/** The catalogue, in the order in which it runs. */
import type { TortureCase } from '../case.ts';
import { bitFlipsCase } from './bit-flips.ts';
import { failover } from './failover.ts';
import { greedyPages } from './greedy-pages.ts';
import { historiesCase } from './histories.ts';
import { idleConnectionsCase } from './idle-connections.ts';
import { ioErrors } from './io-errors.ts';
import { kill } from './kill.ts';
import { noisyNeighboursCase } from './noisy-neighbours.ts';
import { overloadCase } from './overload.ts';
import { powerCut } from './power-cut.ts';
import { requestsCase } from './requests.ts';
import { slowClientsCase } from './slow-clients.ts';
import { soak } from './soak.ts';
import { stops } from './stops.ts';
import { upgradesCase } from './upgrades.ts';
import { workersKilledCase } from './workers-killed.ts';

export const CASES: TortureCase[] = [
  bitFlipsCase,
  failover,
  greedyPages,
  idleConnectionsCase,
  ioErrors,
  kill,
  noisyNeighboursCase,
  overloadCase,
  powerCut,
  slowClientsCase,
  soak,
  stops,
  workersKilledCase,
  historiesCase,
  requestsCase,
  upgradesCase,
];
