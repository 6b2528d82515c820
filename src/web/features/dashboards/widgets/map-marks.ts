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

/** Devices at one place of a map; the first one is in the worst state. */
export interface MapMark<Item> {
  readonly items: readonly [Item, ...Item[]];
  /** True if there is room for the name and the value beside the lamp. */
  readonly isCard: boolean;
}

/** Space that marks take on the screen, in px. */
interface MarkSizes<Item> {
  /** Text of one without a name, with the number of its devices. */
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

/** Returns the space that something of a size takes on a spot: see `cardShift`. */
function boxOf({ x, y }: Spot, map: Size, { width, height }: Size): Box {
  const left = x * map.width - (width * cardShift(x)) / 100;
  const top = y * map.height - (height * cardShift(y)) / 100;
  return { left, top, right: left + width, bottom: top + height };
}

/** Alarms come first, then devices without a connection. */
function byState({ device: a }: Located, { device: b }: Located): number {
  if (a.alarmSeverity !== undefined && b.alarmSeverity !== undefined)
    return compareSeverities(b.alarmSeverity, a.alarmSeverity);
  if (a.alarmSeverity !== b.alarmSeverity) return a.alarmSeverity === undefined ? 1 : -1;
  return Number(a.active) - Number(b.active);
}

/** Groups devices whose marks would cover one another. */
function groupsOf<Item extends Located>(items: readonly Item[], map: Size, mark: Size): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = [];
  /** Groups by the square in which they lie; only neighbours can be too near. */
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
 * Returns the marks of a map of a size in px: devices that are too near to one another share a mark, and a single one has a card where it
 * covers no other mark. The worst states come first and get the room.
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
