/** Where the time of CPU profiles went: the functions with the most time of their own, for each file. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from './tools.ts';

interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { top: { type: 'string', default: '30' } },
});

for (const folder of positionals) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
    const self = new Map<number, number>();
    for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + timeDeltas[i]!);
    const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
    const byName = new Map<string, number>();
    for (const [id, time] of self) byName.set(names.get(id)!, (byName.get(names.get(id)!) ?? 0) + time);
    const idle = byName.get('(idle)') ?? 0;
    byName.delete('(idle)');
    const busy = [...byName.values()].reduce((a, b) => a + b, 0);
    const rows = [...byName].sort((a, b) => b[1] - a[1]).slice(0, Number(values.top));
    console.log(`\n${file}: busy ${(busy / 1e6).toFixed(1)} s, idle ${(idle / 1e6).toFixed(1)} s`);
    console.log(
      table(
        ['function', '% of busy'],
        rows.map(([name, time]) => [name, ((100 * time) / busy).toFixed(1)]),
      ),
    );
  }
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][0]['callFrame']): string {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  const path = url.startsWith('node:') ? url : (/(?:src|node_modules)\/.*$/.exec(url)?.[0] ?? basename(url));
  return `${name}  ${path}:${lineNumber + 1}`;
}
