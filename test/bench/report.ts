import { cpus, totalmem } from "node:os";

/** One line of the results. */
export interface Row {
  readonly section: string;
  readonly measure: string;
  readonly value: string;
  /** Reference value, measured in the same run. */
  readonly peer?: string;
  readonly ratio?: number;
  readonly goal: string;
  readonly met: boolean | undefined;
}

export const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");
export const fixed = (value: number, digits = 2): string => value.toFixed(digits);

export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model ?? "unknown processor";
  return `${processors.length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}, ${process.platform} ${process.arch}`;
}

const mark = (met: boolean | undefined): string => (met === undefined ? "–" : met ? "yes" : "**no**");

/** The rows as Markdown tables, one a section. */
export function renderRows(rows: readonly Row[]): string {
  const sections = [...new Set(rows.map((row) => row.section))];
  return sections
    .map((section) => {
      const lines = rows
        .filter((row) => row.section === section)
        .map(
          (row) =>
            `| ${row.measure} | ${row.value} | ${row.peer ?? "–"} | ${row.ratio === undefined ? "–" : `${fixed(row.ratio)} ×`} | ${row.goal} | ${mark(row.met)} |`,
        );
      return `### ${section}\n\n| measure | Lineside | peer, same run | ratio | goal | met |\n|---|---|---|---|---|---|\n${lines.join("\n")}`;
    })
    .join("\n\n");
}
