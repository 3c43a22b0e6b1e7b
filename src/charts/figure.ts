/** What can be drawn: plain data, each kind with its own function beside this file. */

interface Described {
  title: string;
  /** What the picture shows, in a sentence or two, for whoever cannot see it. */
  description: string;
}

/** A table of numbers as shades. */
export interface HeatMap extends Described {
  chart: 'heat-map';
  row_title: string;
  rows: readonly string[];
  column_title: string;
  columns: readonly string[];
  /** By row, then column; null where there is nothing to count. */
  cells: readonly (readonly (number | null)[])[];
  /** What a cell counts, such as "questions". */
  unit: string;
  /** Rows and columns are the same classes: where they meet is where things should be. */
  confusion?: boolean;
}

/** Horizontal bars, each made of parts. */
export interface StackedBars extends Described {
  chart: 'stacked-bars';
  /** What the length of a bar counts. */
  axis: string;
  /** What the parts of the bars stand for, in their order. */
  series: readonly string[];
  bars: readonly { label: string; values: readonly number[] }[];
}

/** Histograms on one axis, one above the other. */
export interface Distributions extends Described {
  chart: 'distributions';
  axis: string;
  /** Where the first bin begins, and how wide each is. */
  from: number;
  step: number;
  /** `mark` is a value to be marked on the axis, such as the median. */
  groups: readonly { label: string; counts: readonly number[]; mark: number | null }[];
}

/** Texts that belong together, each beside the others, with what differs marked. */
export interface TextGroups extends Described {
  chart: 'text-groups';
  groups: readonly {
    label: string;
    texts: readonly { pieces: readonly { text: string; differs: boolean }[]; note: string }[];
  }[];
  /** How many groups there are that are not shown. */
  omitted: number;
}

/** A scale of numbers, from one end to the other. */
export interface Scale {
  title: string;
  from: number;
  to: number;
}

/** Single things on two scales. */
export interface Scatter extends Described {
  chart: 'scatter';
  x: Scale;
  y: Scale;
  /** What kinds of things there are, each with its own colour and mark. What is to be looked at first comes first. */
  series: readonly { label: string; points: readonly { x: number; y: number; label: string }[] }[];
  /** Values that part the plane, such as the least discrimination that is good enough. */
  guides: readonly { on: 'x' | 'y'; at: number; label: string }[];
}

/** Lines over one scale, and what was observed beside them. */
export interface Curves extends Described {
  chart: 'curves';
  x: Scale;
  y: Scale;
  /** The scale on the right, for lines that have another unit. */
  second?: Scale;
  /** Points by x. `strong`: the line that the picture is about. */
  lines: readonly {
    label: string;
    points: readonly (readonly [x: number, y: number])[];
    strong?: boolean;
    second?: boolean;
  }[];
  /** Observed values with their intervals, where they have one, and how many cases each stands for. */
  observed: readonly { x: number; y: number; low: number | null; high: number | null; n: number }[];
  /** What the observed values are; empty where there are none. */
  observed_label: string;
}

/** People and questions on one scale, back to back: who can do what. */
export interface WrightMap extends Described {
  chart: 'wright-map';
  scale: Scale;
  /** People in bins of equal width from `from` on. */
  people: { label: string; from: number; step: number; counts: readonly number[] };
  questions: { label: string; places: readonly { at: number; label: string }[] };
}

/** Values with their intervals in rows, under headings, with bands that say what they mean. */
export interface Intervals extends Described {
  chart: 'intervals';
  axis: Scale;
  /** Ranges of the axis that have a name, behind the rows of all groups; an end that is null lies beyond the axis. */
  bands: readonly { from: number | null; to: number | null; label: string }[];
  /** What kinds of rows there are, each with its own colour and mark. */
  series: readonly string[];
  groups: readonly {
    label: string;
    /** Where the group's values should lie; an end that is null lies beyond the axis. */
    expected?: { from: number | null; to: number | null };
    rows: readonly { label: string; value: number; low: number; high: number; series: number }[];
    /** How many rows of the group are not shown. */
    omitted: number;
  }[];
}

export type Figure =
  | HeatMap
  | StackedBars
  | Distributions
  | TextGroups
  | Scatter
  | Curves
  | WrightMap
  | Intervals;
