import {
  ADDRESS_MAX,
  type ByteOrder,
  isBitArea,
  type RegisterArea,
  sizeOf,
} from "../../../lib/modbus/modbus-lists.ts";
import type { MessageKey } from "../../platform/i18n/i18n.ts";
import type { ModbusRegister } from "./modbus-api.ts";

const DAY_SECONDS = 86_400;

const NUMBERS = ["length", "bit", "bits", "scale", "offset", "absent", "intervalSeconds"] as const;
type NumberField = (typeof NUMBERS)[number];

/** Register as edited in the form. Numbers are texts, because most of them may be empty. */
export interface RegisterDraft extends Readonly<Record<NumberField | "key" | "address", string>> {
  /** Number of the row, which stays in place while its key is typed. */
  readonly id: number;
  readonly area: RegisterArea;
  readonly type: ModbusRegister["type"];
  readonly order: ByteOrder;
  readonly writable: boolean;
}

export type RegisterProblem = Extract<MessageKey, `modbusProblem.${string}`>;
export type RegisterField = NumberField | "key" | "address";

export const isFieldType = (type: string): boolean => type === "UINT16" || type === "UINT32";
export const canBeWritten = ({ area, type, bit }: RegisterDraft): boolean =>
  (area === "HOLDING_REGISTER" || area === "COIL") && !(isFieldType(type) && bit !== "");

export const wordsOf = ({ type, length }: Pick<RegisterDraft, "type" | "length">): number =>
  sizeOf({ type, length: Number(length) || 1 });

let newestId = 0;

export function draftOf(register: Partial<ModbusRegister>): RegisterDraft {
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  const { key = "", area = "HOLDING_REGISTER", address, order = "ABCD", writable = false } = register;
  const { length, bit, bits, scale, offset, absent, intervalMs } = register;
  return {
    id: ++newestId,
    key,
    area,
    address: text(address),
    type: register.type ?? (isBitArea(area) ? "BOOL" : "UINT16"),
    order,
    length: text(length),
    bit: text(bit),
    bits: text(bits),
    scale: text(scale),
    offset: text(offset),
    absent: text(absent),
    intervalSeconds: text(intervalMs === undefined ? undefined : intervalMs / 1_000),
    writable,
  };
}

/** Parses a number with a point or a comma; NaN for any other text. */
export const numberOf = (text: string): number =>
  text.trim() === "" ? Number.NaN : Number(text.trim().replace(",", "."));

const number = (text: string): number | undefined => (text.trim() === "" ? undefined : numberOf(text));

/** Returns the register of a draft without problems, without fields that its type lacks. */
export function registerOf(draft: RegisterDraft): ModbusRegister {
  const { area, type, order, intervalSeconds } = draft;
  const isBits = isBitArea(area);
  const isNumber = !isBits && type !== "STRING" && type !== "BOOL";
  const bit = isNumber && isFieldType(type) ? number(draft.bit) : undefined;
  const seconds = number(intervalSeconds);
  const fields = {
    length: type === "STRING" ? number(draft.length) : undefined,
    bit,
    bits: bit === undefined ? undefined : number(draft.bits),
    scale: isNumber ? number(draft.scale) : undefined,
    offset: isNumber ? number(draft.offset) : undefined,
    absent: isNumber ? number(draft.absent) : undefined,
    intervalMs: seconds === undefined ? undefined : Math.round(seconds * 1_000),
  };
  return {
    key: draft.key.trim(),
    area,
    address: numberOf(draft.address),
    type: isBits ? "BOOL" : type,
    ...(!isBits && order !== "ABCD" && { order }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(draft.writable && canBeWritten(draft) && { writable: true }),
  };
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

export type RegisterProblems = Partial<Record<RegisterField, RegisterProblem>>;

function bitProblems(draft: RegisterDraft): RegisterProblems {
  const { bit, bits } = draft;
  if (bit.trim() === "" || !isFieldType(draft.type)) return {};
  const max = wordsOf(draft) * 16;
  const count = bits.trim() === "" ? 1 : numberOf(bits);
  if (!isWithin(numberOf(bit), 0, max - 1)) return { bit: "modbusProblem.bit" };
  if (!isWithin(count, 1, 16) || numberOf(bit) + count > max) return { bits: "modbusProblem.bits" };
  return {};
}

export function problemsOf(draft: RegisterDraft, others: readonly RegisterDraft[]): RegisterProblems {
  const problems: RegisterProblems = {};
  const key = draft.key.trim();
  if (key === "") problems.key = "modbusProblem.needed";
  else if (others.some((other) => other.id !== draft.id && other.key.trim() === key))
    problems.key = "modbusProblem.twice";
  const address = numberOf(draft.address);
  if (!isWithin(address, 0, ADDRESS_MAX)) problems.address = "modbusProblem.address";
  else if (address + wordsOf(draft) - 1 > ADDRESS_MAX) problems.address = "modbusProblem.end";
  if (draft.type === "STRING" && !isWithin(numberOf(draft.length), 1, 64))
    problems.length = "modbusProblem.length";
  for (const field of ["scale", "offset", "absent"] as const)
    if (draft[field].trim() !== "" && !Number.isFinite(numberOf(draft[field])))
      problems[field] = "modbusProblem.number";
  if (numberOf(draft.scale) === 0) problems.scale = "modbusProblem.scale";
  const seconds = numberOf(draft.intervalSeconds);
  if (draft.intervalSeconds.trim() !== "" && !(seconds >= 0.1 && seconds <= DAY_SECONDS))
    problems.intervalSeconds = "modbusProblem.interval";
  return isBitArea(draft.area) ? problems : { ...problems, ...bitProblems(draft) };
}

/** Returns the invalid registers. */
export const wrongOf = (registers: readonly RegisterDraft[]): readonly RegisterDraft[] =>
  registers.filter((draft) => Object.keys(problemsOf(draft, registers)).length > 0);
