/** The probes and grace periods of the files in deploy/. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DEFAULT_HTTP_TIMINGS } from '../src/http/timings.ts';

const kubernetes = readFileSync(new URL('../deploy/kubernetes.yaml', import.meta.url), 'utf8');
const deployments = kubernetes
  .split(/^---$/m)
  .filter((text) => /^kind: Deployment$/m.test(text))
  .map((text) => ({
    text,
    name: /^ {2}name: (\w+)$/m.exec(text)![1]!,
    /** The lines of a probe. */
    probe: (name: string) => new RegExp(`^( +)${name}:\\n((?:\\1 +.*\\n)+)`, 'm').exec(text)?.[2] ?? '',
  }));
const readNumber = (text: string, name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(text)?.[1]);

describe('deploy/kubernetes.yaml', () => {
  it('has the api and the worker', () => {
    assert.deepEqual(
      deployments.map(({ name }) => name),
      ['api', 'worker'],
    );
  });

  it('restarts a container only after a minute without a response of /health', () => {
    for (const { name, probe } of deployments) {
      const liveness = probe('livenessProbe');
      assert.match(liveness, /path: \/health,/, name);
      assert.ok(readNumber(liveness, 'periodSeconds') * readNumber(liveness, 'failureThreshold') >= 60, name);
      assert.ok(readNumber(liveness, 'timeoutSeconds') >= 10, name);
    }
  });

  it('sends requests to a node by /ready', () => {
    assert.match(deployments[0]!.probe('readinessProbe'), /path: \/ready,/);
  });

  it('kills a node only after it has had the time to stop', () => {
    for (const { name, text } of deployments) {
      const delay = Number(/QUAESTOR_SHUTDOWN_DELAY, value: (\d+)s/.exec(text)?.[1] ?? 0);
      const drain = DEFAULT_HTTP_TIMINGS.maxDrainMs / 1000;
      assert.ok(readNumber(text, 'terminationGracePeriodSeconds') > delay + drain, name);
    }
  });
});
