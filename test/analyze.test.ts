/** `quaestor analyze`, on files, on a data folder and through a running service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findAnalysis } from '../src/analyses/index.ts';
import { fromBank, fromService } from '../src/cli/analysis-sources.ts';
import { analyze } from '../src/cli/analyze.ts';
import { listen, openService, type Service, sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { INHERITED } from './support/process.ts';

const GIFT = `Which planet is the the largest? {=Jupiter ~Mars ~Venus}

Which planet is the largest? {=Jupiter ~Mars ~Venus}

Is 1 < 2 & 3 > 2 {=yes ~no}
`;

describe('quaestor analyze', () => {
  const folder = tempFolder();
  const file = join(folder, 'quiz.gift');
  let service: Service;
  before(async () => {
    writeFileSync(file, GIFT);
    service = await openService('sqlite');
    const body = ['Which planet is the the largest?', 'Which moon is the largest?'].map((question_text) =>
      sample({ question_text, tags: ['size'] }),
    );
    await service.call('POST', '/questions', { body: [...body, sample({ question_text: 'Who  asks?' })] });
  });
  after(async () => {
    await service.close();
    removeFolder(folder);
  });

  it('prints the rows of files, without a bank', async () => {
    const { text, data } = await analyze(['quality'], { file: [file] });
    assert.match(text, /^Quality of writing: 3 questions, \d rows\n/);
    assert.match(text, /Which planet is the the largest\?\s+doubled word\s+A word is repeated\./);
    const [{ items }] = data as [{ items: { flags: string[] }[] }];
    assert.ok(items.some(({ flags }) => flags.includes('doubled_word')));
  });

  it('writes one page that needs nothing else, with text as text', async () => {
    const output = join(folder, 'report.html');
    const { text } = await analyze(['all'], { file: [file], output });
    assert.equal(text, `Written to ${output}.\n`);
    const page = readFileSync(output, 'utf8');
    assert.equal(page.match(/<section /g)!.length, 5);
    assert.match(page, /src="data:image\/svg\+xml;base64,/);
    assert.match(page, /Is 1 &lt; 2 &amp; 3 &gt; 2/);
    assert.doesNotMatch(page, /<script|https?:\/\/|<link/);
  });

  it('gives the same result on a data folder as the service does', async () => {
    const { url, token } = await listen(service);
    const { reader } = service.engine;
    assert.ok('path' in reader);
    const settings = { url, key: token, dataDir: join(reader.path, '..'), databaseUrl: undefined };
    const query = 'tag=size';
    const run = async (source: Awaited<ReturnType<typeof fromBank>>, type: string) => {
      const result = await source.run(findAnalysis(type)!, {}, () => {});
      await source.close();
      return { ...result, items: result.items.map(({ question_text: _, ...row }) => row) };
    };
    for (const type of ['quality', 'coverage', 'item_statistics']) {
      const local = await run(await fromBank(settings, query), type);
      assert.deepEqual(local, await run(fromService(settings, query), type), type);
      assert.equal(local.questions, 2);
    }
  });

  it('says what is wrong with its arguments', async () => {
    const refuse = (names: string[], options: object, message: RegExp) =>
      assert.rejects(analyze(names, { file: [file], ...options }), message);
    await refuse(['qualty'], {}, /no analysis qualty\. Did you mean quality\?/);
    await refuse([], {}, /Name an analysis/);
    await refuse(['irt'], {}, /irt reads responses/);
    await refuse(['quality'], { parameters: '[1]' }, /must be a JSON object/);
    await refuse(['duplicates'], { parameters: '{"min_similarity": 7}' }, /min_similarity/);
    await refuse(['quality', 'labels'], { format: 'svg' }, /name one/);
  });

  it('is a command of the program', async () => {
    const program = new URL('../src/cli/main.ts', import.meta.url).pathname;
    const args = [program, 'analyze', 'duplicates', '--file', file, '--format', 'svg'];
    const svg = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, args, { env: INHERITED }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      ),
    );
    assert.match(svg, /^<svg /);
  });
});
