type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
}

type Read = () => number | undefined | readonly Sample[];

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly read: Read;
}

const PREFIX = "lineside_";

const escapeHelp = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
const renderLabels = (labels: Labels | undefined) => {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

/**
 * Numbers about parts of the gateway, read on request. Names follow https://prometheus.io/docs/practices/naming/: base units, `_total` for counters.
 */
export class Metrics {
  readonly #metrics: Metric[] = [];

  /** Adds a number that goes up and down. `undefined` means unknown at the moment. */
  gauge(name: string, help: string, read: Read): void {
    this.#metrics.push({ name: PREFIX + name, help, type: "gauge", read });
  }

  /** Adds a number that only grows while the process runs. */
  counter(name: string, help: string, read: Read): void {
    this.#metrics.push({ name: `${PREFIX + name}_total`, help, type: "counter", read });
  }

  /** Renders the text exposition format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  render(): string {
    const lines: string[] = [];
    for (const { name, help, type, read } of this.#metrics) {
      const value = read();
      if (value === undefined) continue;
      lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
      for (const sample of typeof value === "number" ? [{ value, labels: undefined }] : value)
        lines.push(`${name}${renderLabels(sample.labels)} ${sample.value}`);
    }
    return `${lines.join("\n")}\n`;
  }
}
