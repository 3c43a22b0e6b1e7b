/** The data of figures, as charts/figure.ts defines it. */
import type { TProperties } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Nullable, OneOf, Uuid } from './common.ts';
import { Type } from './type.ts';

const closed = { additionalProperties: false };
const Tone = Type.Enum(['neutral', 'good', 'serious', 'moderate', 'uncertain', 'unknown'], {
  description: 'The meaning of the colour.',
});
const Texts = (description: string) => Type.Array(Type.String(), { description });
const Numbers = (description: string) => Type.Array(Type.Number(), { description });
const Bound = Nullable(Type.Number(), { description: 'Null if it lies beyond the axis.' });
const Scale = (description: string) =>
  Type.Object(
    {
      title: Type.String(),
      from: Type.Number(),
      to: Type.Number({ description: 'May be smaller than `from`.' }),
    },
    { ...closed, description },
  );
const question_id = Type.Optional(Uuid({ description: 'The question that is drawn.' }));
const tones = Type.Optional(Type.Array(Tone, { description: 'In the order of `series`.' }));

const Chart = (chart: string, name: string, description: string, fields: TProperties) =>
  Type.Object(
    {
      chart: Type.Literal(chart),
      title: Type.String(),
      description: Type.String({ description: 'The text alternative.' }),
      notes: Type.Optional(Texts('Sentences below the chart, such as what it leaves out.')),
      question_id,
      ...fields,
    },
    { ...closed, ...CONTAINS_ANSWERS, $id: name, description },
  );

const HeatMap = Chart('heat-map', 'HeatMapFigure', 'A matrix of numbers.', {
  row_title: Type.String(),
  rows: Texts('Labels of the rows.'),
  column_title: Type.String(),
  columns: Texts('Labels of the columns.'),
  cells: Type.Array(Type.Array(Nullable(Type.Number())), {
    description: 'By row and column; null where the cell has no value.',
  }),
  unit: Type.String({ description: 'The unit of the cells.' }),
  confusion: Type.Optional(Type.Boolean({ description: 'Whether rows and columns are the same classes.' })),
});

const StackedBars = Chart('stacked-bars', 'StackedBarsFigure', 'Horizontal stacked bars.', {
  axis: Type.String({ description: 'The title of the x axis.' }),
  series: Texts('Names of the series, in the order of `values`.'),
  tones,
  bars: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        name: Type.Optional(Type.String({ description: 'The name of what the bar counts, such as a rule.' })),
        values: Numbers('By series.'),
      },
      closed,
    ),
  ),
});

const Distributions = Chart('distributions', 'DistributionsFigure', 'Histograms with a common x axis.', {
  axis: Type.String({ description: 'The title of the x axis.' }),
  from: Type.Number({ description: 'The lower bound of the first bin.' }),
  step: Type.Number({ description: 'The width of each bin.' }),
  groups: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        counts: Numbers('By bin.'),
        mark: Nullable(Type.Number(), { description: 'The median.' }),
      },
      closed,
    ),
  ),
});

const TextGroups = Chart('text-groups', 'TextGroupsFigure', 'Groups of similar texts.', {
  overview: Type.Optional(
    Type.Array(
      Type.Object(
        {
          title: Type.String(),
          rows: Type.Array(Type.Object({ label: Type.String(), value: Type.Number() }, closed)),
        },
        closed,
      ),
    ),
  ),
  groups: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        texts: Type.Array(
          Type.Object(
            {
              question_id,
              pieces: Type.Array(Type.Object({ text: Type.String(), differs: Type.Boolean() }, closed)),
              note: Type.String(),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
  ),
  omitted: Type.Integer({ minimum: 0, description: 'Groups that are not shown.' }),
});

const Scatter = Chart('scatter', 'ScatterFigure', 'A scatter plot.', {
  x: Scale('The x axis.'),
  y: Scale('The y axis.'),
  series: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        tone: Type.Optional(Tone),
        points: Type.Array(
          Type.Object({ x: Type.Number(), y: Type.Number(), label: Type.String(), question_id }, closed),
        ),
      },
      closed,
    ),
  ),
  guides: Type.Array(
    Type.Object({ on: Type.Enum(['x', 'y']), at: Type.Number(), label: Type.String() }, closed),
    { description: 'Reference lines at a value of an axis.' },
  ),
});

const Curves = Chart('curves', 'CurvesFigure', 'A line chart.', {
  x: Scale('The x axis.'),
  y: Scale('The y axis.'),
  second: Type.Optional(Scale('A second y axis.')),
  lines: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        points: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
          description: 'Pairs of x and y.',
        }),
        strong: Type.Optional(Type.Boolean({ description: 'Whether the chart is about this line.' })),
        second: Type.Optional(Type.Boolean({ description: 'Whether y is on the second axis.' })),
      },
      closed,
    ),
  ),
  observed: Type.Array(
    Type.Object(
      {
        x: Type.Number(),
        y: Type.Number(),
        low: Nullable(Type.Number()),
        high: Nullable(Type.Number()),
        n: Type.Number({ description: 'The number of cases.' }),
        expected: Type.Optional(Type.Number()),
      },
      closed,
    ),
    { description: 'Observed values with their confidence intervals.' },
  ),
  observed_label: Type.String(),
  expected_label: Type.Optional(Type.String()),
});

const WrightMap = Chart('wright-map', 'WrightMapFigure', 'Abilities and difficulties on one scale.', {
  scale: Scale('The logit scale.'),
  people: Type.Object(
    { label: Type.String(), from: Type.Number(), step: Type.Number(), counts: Numbers('By bin.') },
    { ...closed, description: 'The histogram of abilities.' },
  ),
  questions: Type.Object(
    {
      label: Type.String(),
      places: Type.Array(Type.Object({ at: Type.Number(), label: Type.String(), question_id }, closed)),
    },
    closed,
  ),
});

const Intervals = Chart('intervals', 'IntervalsFigure', 'Estimates with confidence intervals, in rows.', {
  axis: Scale('The axis.'),
  bands: Type.Array(Type.Object({ from: Bound, to: Bound, label: Type.String() }, closed), {
    description: 'Named ranges of the axis.',
  }),
  series: Texts('Names of the series.'),
  tones,
  groups: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        expected: Type.Optional(Type.Object({ from: Bound, to: Bound }, closed)),
        rows: Type.Array(
          Type.Object(
            {
              label: Type.String(),
              value: Type.Number(),
              low: Type.Number(),
              high: Type.Number(),
              series: Type.Integer({ minimum: 0, description: 'An index into `series`.' }),
              question_id,
            },
            closed,
          ),
        ),
        omitted: Type.Integer({ minimum: 0, description: 'Rows that are not shown.' }),
      },
      closed,
    ),
  ),
});

export const FigureData = OneOf(
  'chart',
  [HeatMap, StackedBars, Distributions, TextGroups, Scatter, Curves, WrightMap, Intervals],
  { $id: 'FigureData', description: 'The data of a figure, without its layout.' },
);
