import type { Cron } from "croner";
import { firstInstant, zoneOffset } from "../../lib/calendar-interval.ts";

/*
 * When a cron expression is due in a time zone. croner reads the expression, and enumerates the times that clocks in UTC show; the clocks of the
 * zone are applied here, because what a change of the clocks means depends on the expression. If minute and hour are numbers or lists of them,
 * they are times of day: each is due once a day, when the clocks first show it, or when the gap ends that skips it. With a wildcard, a
 * range or a step the expression repeats within the day: it is due whenever the clocks show such a time, so none in a gap, and twice in an hour
 * that comes twice.
 */

/** The last moment that four digits of a year can say, and a year short of what a Date can. */
export const TIME_MAX = Date.parse("9999-12-31T00:00:00Z");

/** Loaded with the first expression, which saves 2 MB without schedules; synchronously, because transactions compute times. */
function newCron(expression: string): Cron {
  const croner: typeof import("croner") = require("croner");
  return new croner.Cron(expression, { timezone: "UTC", mode: "5-part", paused: true });
}

/** Returns whether the expression repeats within the day. */
function isRepeating(expression: string): boolean {
  if (expression.startsWith("@")) return expression === "@hourly";
  const [minute = "", hour = ""] = expression.split(" ");
  return /[*?/-]/.test(`${minute} ${hour}`);
}

/** An expression in a zone. @throws Error of croner for an expression that cannot be read */
export class CronTimes {
  readonly #cron: Cron;
  readonly #offset: (ts: number) => number;
  readonly #timezone: string;
  readonly #isRepeating: boolean;

  constructor(expression: string, timezone: string) {
    this.#cron = newCron(expression);
    this.#offset = zoneOffset(timezone);
    this.#timezone = timezone;
    this.#isRepeating = isRepeating(expression);
  }

  /** Returns the first time after `after` (epoch ms); undefined if none comes. */
  next(after: number): number | undefined {
    const next = this.#isRepeating ? this.#nextShown(after) : this.#nextOfDay(after);
    return next === undefined || next <= after || next > TIME_MAX ? undefined : next;
  }

  /** Returns the first time after `wall` that matches, in ms as if the wall clock were UTC. */
  #nextWall(wall: number): number | undefined {
    return this.#cron.nextRun(new Date(wall))?.getTime();
  }

  /** Each time of day once, in order: the moments at which clocks first show them rise with them. */
  #nextOfDay(after: number): number | undefined {
    let wall = this.#nextWall(after + this.#offset(after));
    while (wall !== undefined) {
      const moment = firstInstant(wall, this.#offset);
      if (moment > after) return moment;
      wall = this.#nextWall(wall);
    }
    return undefined;
  }

  /** Every moment at which the clocks show such a time, from one change of the clocks to the next. */
  #nextShown(after: number): number | undefined {
    let shift = this.#offset(after);
    let wall = this.#nextWall(after + shift);
    let change = this.#changeAfter(after);
    while (wall !== undefined && change !== undefined && wall - shift >= change) {
      shift = this.#offset(change);
      // What the clocks show at the change itself counts, too.
      wall = this.#nextWall(change + shift - 1);
      change = this.#changeAfter(change);
    }
    return wall === undefined ? undefined : wall - shift;
  }

  /** Returns the next clock change after a moment. */
  #changeAfter(moment: number): number | undefined {
    const from = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(this.#timezone);
    return from.getTimeZoneTransition("next")?.epochMilliseconds;
  }
}
