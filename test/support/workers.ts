/** The worker processes of a process, to be stopped and killed by tests. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processes are found in /proc, which only Linux has. */
export const SKIP_WITHOUT_PROC =
  process.platform === 'linux' ? false : 'this system does not tell which processes are workers';

/** The pids of the workers that a process has started. */
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
        // It has ended meanwhile.
        return false;
      }
    });
}
