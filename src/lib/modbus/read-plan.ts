import { isBitArea, REGISTER_AREAS, type RegisterArea, sizeOf } from "./modbus-lists.ts";
import { READ_BITS_MAX, READ_WORDS_MAX, type RegisterRange } from "./modbus-pdu.ts";
import type { RegisterSpec } from "./register-values.ts";

export interface PlanLimits {
  /** Max. words per request; 125 by default. */
  readonly wordsMax?: number;
  /** Max. unused words between two registers of one request; 8 by default. */
  readonly gapMax?: number;
}

/** Request with the registers in its response. */
export interface ReadBlock<Register extends RegisterSpec> {
  readonly range: RegisterRange;
  readonly registers: readonly Register[];
}

const GAP_MAX = 8;
const areaOrder = Object.fromEntries(REGISTER_AREAS.map((area, index) => [area, index])) as Record<
  RegisterArea,
  number
>;

/** Returns the fewest requests that read the registers, in the order of their addresses. */
export function planReads<Register extends RegisterSpec>(
  registers: readonly Register[],
  { wordsMax = READ_WORDS_MAX, gapMax = GAP_MAX }: PlanLimits = {},
): ReadBlock<Register>[] {
  const sorted = registers.toSorted((a, b) => areaOrder[a.area] - areaOrder[b.area] || a.address - b.address);
  const blocks: { range: RegisterRange; registers: Register[] }[] = [];
  for (const register of sorted) {
    const { area, address } = register;
    const block = blocks.at(-1);
    const end = address + sizeOf(register);
    const countMax = isBitArea(area) ? READ_BITS_MAX : wordsMax;
    if (block !== undefined && block.range.area === area) {
      const { address: start, count } = block.range;
      const joined = Math.max(start + count, end) - start;
      if (address - (start + count) <= gapMax && joined <= countMax) {
        block.range = { area, address: start, count: joined };
        block.registers.push(register);
        continue;
      }
    }
    blocks.push({ range: { area, address, count: sizeOf(register) }, registers: [register] });
  }
  return blocks;
}

/** Extracts the words of one register from those of its block. */
export const wordsIn = (
  { range }: ReadBlock<RegisterSpec>,
  register: RegisterSpec,
  words: readonly number[],
): number[] =>
  words.slice(register.address - range.address, register.address - range.address + sizeOf(register));
