/** Measures a running service from outside: memory, handles, threads, worker processes. */
import { readdirSync } from 'node:fs';
import { listChildren } from '../../test/support/process-tree.ts';
import { send } from '../../test/support/requests.ts';

const MIB = 1024 * 1024;

const METRICS = {
  rss_mib: ['process_resident_memory_bytes', MIB],
  heap_mib: ['nodejs_heap_size_used_bytes', MIB],
  external_mib: ['nodejs_external_memory_bytes', MIB],
} as const;

/** Reads figures from GET /metrics; undefined if it is refused. */
export async function readMetrics(target: {
  port: number;
  token: string;
}): Promise<Record<string, number> | undefined> {
  const { status, body } = await send(target, 'GET', '/metrics');
  if (status !== 200) return undefined;
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  return Object.fromEntries(
    Object.entries(METRICS).map(([name, [metric, unit]]) => [name, read(metric) / unit]),
  );
}

/** Reads figures of the process from /proc; empty on other systems than Linux. */
export function readProcess(pid: number): Record<string, number> {
  if (process.platform !== 'linux') return {};
  return {
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
    workers: listChildren(pid).length,
  };
}
