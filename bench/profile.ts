/** Summarises CPU profiles: the files and functions with the most self time. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from './tools.ts';

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface Profile {
  nodes: { id: number; callFrame: Frame }[];
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
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    const sumBy = (name: (frame: Frame) => string) => {
      const sums = new Map<string, number>();
      for (const [id, time] of self) {
        const key = name(frames.get(id)!);
        sums.set(key, (sums.get(key) ?? 0) + time);
      }
      const idle = sums.get('(idle)') ?? 0;
      sums.delete('(idle)');
      return { idle, sums: [...sums].sort((x, y) => y[1] - x[1]) };
    };
    const { idle, sums } = sumBy(formatName);
    const busy = sums.reduce((sum, [, time]) => sum + time, 0);
    const shares = (list: [string, number][]) =>
      list.slice(0, Number(values.top)).map(([name, time]) => [name, ((100 * time) / busy).toFixed(1)]);
    console.log(`\n${file}: busy ${(busy / 1e6).toFixed(1)} s, idle ${(idle / 1e6).toFixed(1)} s\n`);
    console.log(format.table(['file or package', '% of busy'], shares(sumBy(formatFile).sums)), '\n');
    console.log(format.table(['function', '% of busy'], shares(sums)));
  }
}

function formatFile({ functionName, url }: Frame): string {
  if (url === '')
    return functionName.startsWith('RegExp') ? 'regular expressions' : functionName || '(native)';
  if (url.startsWith('node:')) return url.replace(/(?<=internal\/\w+)\/.*/, '');
  return /node_modules\/[^/]+/.exec(url)?.[0] ?? /src\/.*$/.exec(url)?.[0] ?? basename(url);
}

function formatName({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)';
  return url === ''
    ? name
    : `${name}  ${/(?:src|node_modules)\/.*$/.exec(url)?.[0] ?? url}:${lineNumber + 1}`;
}
