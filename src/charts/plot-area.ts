/** The plot area with its axes: x below, y on the left, optionally a second y on the right. */
import { scaleLinear } from 'd3-scale';
import { buildBottomAxis, buildSideAxis, toDomain } from './axis.ts';
import type { Scale } from './figure.ts';
import { MARGIN, px, renderLabel } from './svg.ts';

const TITLE_HEIGHT = 28;

interface Scales {
  x: Scale;
  y: Scale;
  second?: Scale | undefined;
}

interface PlotAreaOptions {
  width: number;
  height: number;
  /** Whether only integers are ticks of the x axis. */
  integersOnly?: boolean;
  /** CSS class of the title and tick labels of the second y axis. */
  secondClass?: string;
}

export type PlotArea = NonNullable<ReturnType<typeof buildPlotArea>>;

/** Coordinates are relative to its upper left corner. Undefined if a scale is not finite. */
export function buildPlotArea(scales: Scales, { width, height, integersOnly, secondClass }: PlotAreaOptions) {
  const xDomain = toDomain(scales.x);
  const yDomain = toDomain(scales.y);
  const secondDomain = toDomain(scales.second ?? scales.y);
  if (!xDomain || !yDomain || !secondDomain) return undefined;
  const x = scaleLinear(xDomain, [0, width]);
  const y = scaleLinear(yDomain, [height, 0]);
  const second = scaleLinear(secondDomain, [height, 0]);
  const xAxis = buildBottomAxis(x, scales.x.title, integersOnly);
  const yAxis = buildSideAxis(y, 'left');
  const secondAxis = scales.second && buildSideAxis(second, 'right', `muted ${secondClass ?? ''}`.trim());
  const right = secondAxis?.width ?? xAxis.overhang;
  /** With two y axes, their titles share the line above the plot. */
  const computeTitleWidth = (paddingRight: number) => {
    const available = yAxis.width + width + right + paddingRight;
    return scales.second ? available / 2 - 10 : available;
  };

  /** `paddingTop` is below the axis titles. `content` may also use `paddingRight`. */
  const render = (top: number, content: string, paddingTop: number, paddingRight: number) => {
    const titleWidth = computeTitleWidth(paddingRight);
    const titles = [
      renderLabel(-yAxis.width, -paddingTop - 14, scales.y.title, titleWidth, { class: 'heading' }),
      ...(scales.second
        ? [
            renderLabel(width + right + paddingRight, -paddingTop - 14, scales.second.title, titleWidth, {
              class: `heading ${secondClass ?? ''}`.trim(),
              anchor: 'end',
            }),
          ]
        : []),
    ];
    const origin = `translate(${px(MARGIN + yAxis.width)} ${px(top + TITLE_HEIGHT + paddingTop)})`;
    return [
      `<g transform="${origin}">`,
      xAxis.render(0, height),
      yAxis.render(0, width),
      secondAxis?.render(0, width) ?? '',
      ...titles,
      content,
      '</g>',
    ].join('\n');
  };
  return {
    x,
    y,
    /** The same as `y` if there is no second axis. */
    second,
    width: yAxis.width + width + right,
    height: TITLE_HEIGHT + height + xAxis.height,
    render,
  };
}
