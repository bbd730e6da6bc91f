import { SaxesParser } from "saxes";
import { malformedReport } from "./reports.ts";

export type Attributes = Readonly<Record<string, string>>;

export interface XmlReader {
  /** `path` contains the names of the open elements, this one last. */
  open(name: string, attributes: Attributes, path: readonly string[]): void;
  close?(name: string, path: readonly string[]): void;
}

const DEEPEST = 100;

/** Feeds a report through a streaming parser. Refuses declared entities, so that nothing can expand. */
export async function readXml(chunks: AsyncIterable<string>, path: string, reader: XmlReader): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const names: string[] = [];
  parser.on("error", (error) => {
    throw malformedReport(path, `it is not well-formed XML (${error.message.slice(0, 200)})`);
  });
  parser.on("doctype", (doctype) => {
    if (doctype.includes("[")) throw malformedReport(path, "it declares entities");
  });
  parser.on("opentag", ({ name, attributes }) => {
    names.push(name);
    if (names.length > DEEPEST) throw malformedReport(path, `its elements are nested more than ${DEEPEST} deep`);
    reader.open(name, attributes, names);
  });
  parser.on("closetag", ({ name }) => {
    reader.close?.(name, names);
    names.pop();
  });
  for await (const chunk of chunks) parser.write(chunk);
  parser.close();
}
