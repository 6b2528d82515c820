import type { S7Tag } from "./s7.types.ts";

/** Tags that many controllers have at the same addresses. */
interface S7Template {
  readonly templateId: string;
  readonly name: string;
  readonly vendor: string;
  readonly kind: string;
  /** Document that describes the addresses. */
  readonly source: string;
  readonly tags: readonly S7Tag[];
}

const TEMPLATES: readonly S7Template[] = [
  {
    templateId: "siemens-s7-clock-memory",
    name: "S7-1200/1500: system and clock memory",
    vendor: "Siemens",
    kind: "PLC",
    source: "S7-1200 system manual, system and clock memory (bytes 1 and 0 unless changed)",
    tags: [
      { key: "diagnostic_changed", address: "%M1.1" },
      { key: "clock_1_hz", address: "%M0.5" },
      { key: "clock_0_5_hz", address: "%M0.7" },
    ],
  },
  {
    templateId: "siemens-s7-1200-onboard-io",
    name: "S7-1200: onboard inputs and outputs",
    vendor: "Siemens",
    kind: "PLC",
    source: "S7-1200 system manual, default addresses of a CPU 1214C",
    tags: [
      { key: "inputs", address: "I0.0.14" },
      { key: "outputs", address: "Q0.0.10" },
      { key: "analog_0_volts", address: "IW64", scale: 10 / 27_648 },
      { key: "analog_1_volts", address: "IW66", scale: 10 / 27_648 },
    ],
  },
];

/** Returns the built-in templates. */
export const s7Templates = (): readonly S7Template[] => TEMPLATES;
