/** The similarity graph: its nodes are the distinct texts, its edges the pairs of similar texts. */
import { GrowingArray } from '../shared/growing-array.ts';
import type { Wording } from './wording.ts';

const RELATIONS = ['same', 'reworded', 'opposed', 'different'] as const;
const RELATION_MASK = 3;
const UNCERTAIN_BIT = 4;
const SIMILAR_BIT = 8;
const OVERLAP_SHIFT = 4;
/** Overlaps are stored in steps of 0.001, rounded down. */
const OVERLAP_STEPS = 1000;

/** Edges with their wording, packed into three words each: there may be millions. */
export class EdgeList {
  readonly #a = new GrowingArray(Uint32Array);
  readonly #b = new GrowingArray(Uint32Array);
  readonly #packed = new GrowingArray(Uint32Array);

  get length(): number {
    return this.#a.length;
  }

  push(a: number, b: number, { relation, overlap, uncertain }: Wording, similar: boolean): void {
    this.#a.push(a);
    this.#b.push(b);
    const bits = RELATIONS.indexOf(relation) + (uncertain ? UNCERTAIN_BIT : 0) + (similar ? SIMILAR_BIT : 0);
    this.#packed.push(bits + (Math.floor(overlap * OVERLAP_STEPS) << OVERLAP_SHIFT));
  }

  endpoints(edge: number): [number, number] {
    return [this.#a.at(edge), this.#b.at(edge)];
  }

  /** The endpoint that is not `text`. */
  opposite(edge: number, text: number): number {
    const a = this.#a.at(edge);
    return a === text ? this.#b.at(edge) : a;
  }

  relation(edge: number): Wording['relation'] {
    return RELATIONS[this.#packed.at(edge) & RELATION_MASK]!;
  }

  wording(edge: number): Wording {
    const packed = this.#packed.at(edge);
    return {
      relation: this.relation(edge),
      overlap: (packed >>> OVERLAP_SHIFT) / OVERLAP_STEPS,
      uncertain: (packed & UNCERTAIN_BIT) !== 0,
    };
  }

  /** Whether the texts are similar enough to be reported as variants. */
  isSimilar(edge: number): boolean {
    return (this.#packed.at(edge) & SIMILAR_BIT) !== 0;
  }
}

/** The edges of each text that are included, in compressed sparse rows. */
export class AdjacencyList {
  readonly #starts: Uint32Array;
  readonly #edges: Uint32Array;

  constructor(edges: EdgeList, textCount: number, includes: (edge: number) => boolean) {
    this.#starts = new Uint32Array(textCount + 1);
    let count = 0;
    for (let edge = 0; edge < edges.length; edge++) {
      if (!includes(edge)) continue;
      count++;
      for (const text of edges.endpoints(edge)) this.#starts[text + 1]!++;
    }
    for (let text = 0; text < textCount; text++) this.#starts[text + 1]! += this.#starts[text]!;
    this.#edges = new Uint32Array(count * 2);
    const next = this.#starts.slice();
    for (let edge = 0; edge < edges.length; edge++)
      if (includes(edge)) for (const text of edges.endpoints(edge)) this.#edges[next[text]!++] = edge;
  }

  edgesOf(text: number): Uint32Array {
    return this.#edges.subarray(this.#starts[text], this.#starts[text + 1]);
  }
}
