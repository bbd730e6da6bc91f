import { styled, type Style } from "./style.ts";

/** Styles text if `color` is set, otherwise returns it unchanged. */
export function paint(color: boolean) {
  const style = (name: Style) => (text: string) => (color ? styled(name, text) : text);
  return { bold: style("bold"), dim: style("dim"), red: style("red"), green: style("green"), yellow: style("yellow"), cyan: style("cyan") };
}
