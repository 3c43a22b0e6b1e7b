/** The processes of this machine: children and signals. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

/** Lists the ids of the child processes. */
export function listChildren(parent: number): number[] {
  // On Linux, /proc replaces `ps`, which may not be installed.
  const table =
    process.platform === 'linux'
      ? fs
          .readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(readParentFromProc)
      : spawnSync('ps', ['-A', '-o', 'pid=,ppid=']).stdout.toString().split('\n').map(parseNumbers);
  return table.filter(([, ppid]) => ppid === parent).map(([pid]) => pid!);
}

const parseNumbers = (line: string) => line.trim().split(/\s+/).map(Number);

function readParentFromProc(pid: string): number[] {
  try {
    // The state and the parent follow the program's name, which may contain any characters.
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
  } catch {
    return [];
  }
}
