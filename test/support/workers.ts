/** Finds the worker processes of a service, so that tests can stop and kill them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Worker processes are found in /proc, which only Linux has. */
export const SKIP_WITHOUT_PROC =
  process.platform === 'linux' ? false : 'worker processes can be listed on Linux only';

export function listWorkers(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return (
          status.includes(`\nPPid:\t${parent}\n`) &&
          !/\nState:\tZ/.test(status) &&
          command.includes('jobs/worker.ts')
        );
      } catch {
        // The process has ended.
        return false;
      }
    });
}
