/**
 * The model that writers keep of what the service has acknowledged, and its comparison with what
 * is stored.
 *
 * An entity (a question, a session of responses, a category, a run, an idempotency key) has a
 * history of states, in the order in which its writer sent them. A writer owns its entities and
 * sends one request at a time, so that the stored state is the last acknowledged one or a later
 * one whose response was lost.
 */

/** The state of an entity that is not stored. */
export const ABSENT = 'absent';

/** What is stored: the state of each entity, by name. */
export type Observation = Map<string, string>;

interface Sent {
  state: string;
  /** When it was acknowledged, in the units of the caller; Infinity if it was not. */
  acknowledged: number;
}

export class Entity {
  readonly name: string;
  /** The id in the API, once it is known. */
  id: string | undefined;
  /** Other names stored or absent together with this one when it is created. */
  readonly group: string;
  /** The Idempotency-Key of the request that creates it. */
  key: string | undefined;
  states: Sent[] = [{ state: ABSENT, acknowledged: -Infinity }];

  constructor(name: string, group: string) {
    this.name = name;
    this.group = group;
  }

  get latest(): string {
    return this.states.at(-1)!.state;
  }

  /** Whether a response is outstanding: the entity must not be changed until `settle`. */
  get uncertain(): boolean {
    return this.states.at(-1)!.acknowledged === Infinity;
  }

  send(state: string): void {
    this.states.push({ state, acknowledged: Infinity });
  }

  acknowledge(at: number): void {
    this.states.at(-1)!.acknowledged = at;
  }

  /** The last request had no effect. */
  retract(): void {
    this.states.pop();
  }

  /** Whether any request for it was acknowledged by a time. */
  isKnownAt(time: number): boolean {
    return this.states.some(({ acknowledged }, i) => i > 0 && acknowledged <= time);
  }

  /** The states that may be stored at a time: the last acknowledged one, and later ones. */
  allowedAt(time: number): string[] {
    const last = this.states.findLastIndex(({ acknowledged }) => acknowledged <= time);
    return this.states.slice(last).map(({ state }) => state);
  }
}

export class Model {
  readonly entities = new Map<string, Entity>();

  add(name: string, group = name): Entity {
    const entity = new Entity(name, group);
    this.entities.set(name, entity);
    return entity;
  }

  /** Replaces the times of acknowledgements. */
  mapTimes(map: (time: number) => number): void {
    for (const { states } of this.entities.values())
      for (const sent of states)
        if (Number.isFinite(sent.acknowledged)) sent.acknowledged = map(sent.acknowledged);
  }

  /** Compares the stored idempotency keys with what was stored in the same transactions. */
  compareKeys(stored: Observation, keys: Set<string>): string[] {
    const violations: string[] = [];
    for (const { name, key, states } of this.entities.values()) {
      if (key === undefined) continue;
      const state = stored.get(name) ?? ABSENT;
      if (state !== ABSENT && !keys.has(key)) violations.push(`${name}: stored without its key ${key}`);
      const deleted = states.slice(1).some((sent) => sent.state === ABSENT);
      if (state === ABSENT && keys.has(key) && !deleted)
        violations.push(`${name}: not stored, but its key ${key} is`);
    }
    return violations;
  }

  /** Compares what is stored with what was acknowledged up to a time. */
  compare(stored: Observation, time = Number.MAX_VALUE): string[] {
    const violations: string[] = [];
    /** For each group of which nothing is acknowledged: how many of its members are stored. */
    const groups = new Map<string, { stored: number; size: number }>();
    for (const entity of this.entities.values()) {
      const state = stored.get(entity.name) ?? ABSENT;
      const allowed = entity.allowedAt(time);
      if (!allowed.includes(state))
        violations.push(`${entity.name}: acknowledged [${allowed[0]}], stored [${state}]`);
      if (entity.isKnownAt(time)) continue;
      const group = groups.getOrInsertComputed(entity.group, () => ({ stored: 0, size: 0 }));
      group.size++;
      if (state !== ABSENT) group.stored++;
    }
    for (const [name, { stored: n, size }] of groups)
      if (n > 0 && n < size) violations.push(`${name}: ${n} of its ${size} members are stored`);
    for (const name of stored.keys())
      if (!this.entities.has(name)) violations.push(`${name}: stored, but never sent`);
    return violations;
  }

  /** Accepts what is stored as the state of entities whose last response was lost. */
  settle(stored: Observation): void {
    for (const entity of this.entities.values()) {
      if (!entity.uncertain) continue;
      const state = stored.get(entity.name) ?? ABSENT;
      entity.states = [{ state: ABSENT, acknowledged: -Infinity }];
      if (state === ABSENT && entity.id === undefined) this.entities.delete(entity.name);
      else {
        entity.send(state);
        entity.acknowledge(0);
      }
    }
  }
}
