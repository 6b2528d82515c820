import { compareSeverities } from "../../../../lib/alarms/severity.ts";
import type { ResolvedDevice } from "../dashboards-api.ts";
import { cardShift, type Spot } from "./spots.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Located extends Spot {
  readonly device: ResolvedDevice;
}

/** Devices at one place of a map, the worst state first. */
export interface MapMark<Item> {
  readonly items: readonly [Item, ...Item[]];
  /** True if name and value fit next to the marker. */
  readonly isCard: boolean;
}

/** Sizes of marks on the screen, in px. */
interface MarkSizes<Item> {
  /** Text of a mark without a name, with its number of devices. */
  readonly mark: Size;
  readonly cardOf: (item: Item) => Size;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const meet = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Returns the area of a mark of a size at a spot: see `cardShift`. */
function boxOf({ x, y }: Spot, map: Size, { width, height }: Size): Box {
  const left = x * map.width - (width * cardShift(x)) / 100;
  const top = y * map.height - (height * cardShift(y)) / 100;
  return { left, top, right: left + width, bottom: top + height };
}

/** Compares states: alarms first, then devices without a connection. */
function byState({ device: a }: Located, { device: b }: Located): number {
  if (a.alarmSeverity !== undefined && b.alarmSeverity !== undefined)
    return compareSeverities(b.alarmSeverity, a.alarmSeverity);
  if (a.alarmSeverity !== b.alarmSeverity) return a.alarmSeverity === undefined ? 1 : -1;
  return Number(a.active) - Number(b.active);
}

/** Groups devices whose marks would overlap. */
function groupsOf<Item extends Located>(items: readonly Item[], map: Size, mark: Size): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = [];
  /** Groups by square; only those in adjacent squares can be too close. */
  const squares = new Map<string, { readonly box: Box; readonly group: [Item, ...Item[]] }[]>();
  for (const item of items.toSorted(byState)) {
    const box = boxOf(item, map, mark);
    const [column, row] = [Math.floor(box.left / mark.width), Math.floor(box.top / mark.height)];
    const near = [-1, 0, 1].flatMap((dx) =>
      [-1, 0, 1].flatMap((dy) => squares.get(`${column + dx} ${row + dy}`) ?? []),
    );
    const found = near.find((other) => meet(other.box, box));
    if (found !== undefined) {
      found.group.push(item);
      continue;
    }
    const group: [Item, ...Item[]] = [item];
    groups.push(group);
    const square = squares.get(`${column} ${row}`) ?? [];
    squares.set(`${column} ${row}`, square);
    square.push({ box, group });
  }
  return groups;
}

/**
 * Returns the marks of a map of a size in px: devices that are too close share a mark, and a single device has a card if that overlaps no other
 * mark. The worst states come first and get the space.
 */
export function marksOf<Item extends Located>(
  items: readonly Item[],
  map: Size,
  { mark, cardOf }: MarkSizes<Item>,
): MapMark<Item>[] {
  const groups = groupsOf(items, map, mark);
  const taken = groups.map(([first]) => boxOf(first, map, mark));
  return groups.map((group, index) => {
    const [first, ...others] = group;
    if (others.length > 0) return { items: group, isCard: false };
    const box = boxOf(first, map, cardOf(first));
    const isCard = taken.every((other, position) => position === index || !meet(box, other));
    if (isCard) taken[index] = box;
    return { items: group, isCard };
  });
}
