/** Changes that findings of `quality` offer, applied through the API. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const assess = async (id: string): Promise<Json[]> => {
    const { body } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', question_ids: [id] },
      headers: { prefer: 'wait=30' },
    });
    return body.result.items.flatMap(({ findings }: Json) => findings);
  };

  it('PUT accepts the body of a change, and the finding is gone', async () => {
    const { body: created } = await call('POST', '/questions', {
      body: sample({
        question_text: 'What is the the capital of Italy .',
        correct_answer: 'Rome  itself',
        incorrect_answers: ['Milan , of course', 'Turin'],
      }),
    });
    let findings = await assess(created.id);
    const found = findings.map(({ rule, field }) => `${rule} ${field}`).sort();
    const choice = (text: string) => `choices/${created.choices.indexOf(text)}`;
    assert.deepEqual(
      found,
      [
        'doubled_word question_text',
        'question_mark_missing question_text',
        'spacing question_text',
        `spacing ${choice('Rome  itself')}`,
        `spacing ${choice('Milan , of course')}`,
      ].sort(),
    );
    for (let left = found.length; left > 0; left = findings.length) {
      const [{ rule, field, change }] = findings as [Json];
      const { headers, body: question } = await call('GET', `/questions/${created.id}`);
      assert.equal(change.revision, question.revision);
      const { status } = await call('PUT', `/questions/${created.id}`, {
        body: change.body,
        headers: { 'if-match': headers.etag! },
      });
      assert.equal(status, 200);
      findings = await assess(created.id);
      assert.ok(findings.length < left, `${rule} in ${field} is not corrected`);
    }
    const { body: corrected } = await call('GET', `/questions/${created.id}`);
    assert.equal(corrected.question_text, 'What is the capital of Italy?');
    assert.equal(corrected.correct_answer, 'Rome itself');
    assert.deepEqual(corrected.incorrect_answers, ['Milan, of course', 'Turin']);
  });
}

onEveryEngine('changes of findings', cases);
