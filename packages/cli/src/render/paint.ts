import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colour only where the caller knows that it is wanted. */
export function paint(color: boolean) {
  const style = (format: Style) => (text: string) => (color ? styleText(format, text, { validateStream: false }) : text);
  return { bold: style("bold"), dim: style("dim"), red: style("red"), green: style("green"), yellow: style("yellow"), cyan: style("cyan") };
}
