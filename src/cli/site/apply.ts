import { StartupError } from "../../platform/process/startup-error.ts";
import type { ApiClient } from "../api-client.ts";
import { findMark } from "./find-mark.ts";
import {
  nameOfAction,
  type PlannedAction,
  type PlanOptions,
  planSite,
  revealSecrets,
  type SitePlan,
} from "./plan.ts";
import { type ReferenceKind, secretNameOf, withExpressions } from "./references.ts";
import type { Section } from "./section.types.ts";
import { type FieldPath, type Fields, isFields, type Site, type SiteObject } from "./site.types.ts";
import type { SiteLock } from "./site-lock.ts";
import { type CurrentObject, readSnapshot, type Snapshot } from "./snapshot.ts";

/**
 * Max. rounds. Objects may refer to each other in circles: a device opens a dashboard that shows the device. References to objects that do not exist
 * yet are sent in the next round. The last round has nothing to do.
 */
const ROUNDS_MAX = 4;

export interface ApplyOptions extends PlanOptions {
  /** Called after each change. `created` is the new object of the API, if any. */
  readonly report: (action: PlannedAction, created: Fields | undefined) => void;
  readonly lock: Pick<SiteLock, "keep">;
}

/** Reference to an object that an earlier action of the same round creates later. */
class NotYetThere extends Error {}

type Compared = Parameters<typeof findMark>[0];

/** Sends the actions of one plan. */
class Round {
  readonly #api: ApiClient;
  readonly #snapshot: Snapshot;
  readonly #env: PlanOptions["env"];
  readonly #report: ApplyOptions["report"];
  /** Ids of objects created in this round, by kind and name. */
  readonly #created = new Map<string, string>();

  constructor(api: ApiClient, snapshot: Snapshot, { env, report }: ApplyOptions) {
    this.#api = api;
    this.#snapshot = snapshot;
    this.#env = env;
    this.#report = report;
  }

  async run(action: PlannedAction): Promise<void> {
    this.#report(action, await this.#send(action));
  }

  /** Returns the new object of the API; undefined if there is none. */
  async #send(action: PlannedAction): Promise<Fields | undefined> {
    const { section } = action;
    if (action.type === "delete") {
      await this.#api.delete(`${section.path}/${action.current.id}`);
      return undefined;
    }
    if (action.type === "create") return this.#create(section, action.object);
    if (action.type === "replace") return this.#replace(section, action);
    const names = new Set(action.differences.map(({ path }) => String(path[0])));
    await this.#change(section, action.current, this.#bodyOf(action.object, [...names], action.current));
  }

  /** Replaces an object. Fields missing from the file are taken from the existing object. */
  async #replace(
    section: Section,
    { object, current }: { object: SiteObject; current: CurrentObject },
  ): Promise<Fields | undefined> {
    const fields = { ...current.fields, ...object.fields };
    const body = this.#bodyOf({ ...object, fields }, Object.keys(fields), undefined);
    return section.replace?.(this.#api, { id: current.id, body, current: current.fields });
  }

  async #create(section: Section, object: SiteObject): Promise<Fields | undefined> {
    const body = this.#bodyOf(object, Object.keys(object.fields), undefined);
    if (section.name === "deviceTypes") {
      const current = { key: object.key, id: object.key, fields: {}, marks: new Map(), isExported: true };
      return this.#change(section, current, body);
    }
    const creation = section.creation?.(body) ?? { path: section.path, body };
    const created = await this.#api.post<Fields>(creation.path, creation.body);
    if (section.kind !== undefined)
      this.#created.set(`${section.kind}:${object.key}`, String(created[section.id]));
    return created;
  }

  async #change(section: Section, current: CurrentObject, changes: Fields): Promise<undefined> {
    if (Object.keys(changes).length === 0) return;
    const { id, fields } = current;
    if (section.update !== undefined) await section.update(this.#api, { id, changes, current: fields });
    else await this.#api.patch(section.key === undefined ? section.path : `${section.path}/${id}`, changes);
  }

  /** Returns the fields for the API, without references to objects that are created later. */
  #bodyOf(object: SiteObject, names: readonly string[], current: CurrentObject | undefined): Fields {
    const entries = names.flatMap((name) => {
      try {
        return [
          [name, this.#resolve(object.fields[name], [name], { fields: object.fields, current })] as const,
        ];
      } catch (error) {
        if (error instanceof NotYetThere) return [];
        throw error;
      }
    });
    return Object.fromEntries(entries.filter(([, value]) => current !== undefined || value !== null));
  }

  #resolve(value: unknown, path: FieldPath, of: Compared): unknown {
    const secret = secretNameOf(value);
    if (secret !== undefined) {
      const found = this.#env[secret] === undefined ? findMark(of, secret, path) : undefined;
      return found === undefined ? revealSecrets(String(value), this.#env) : found.mark;
    }
    if (Array.isArray(value)) return value.map((item, index) => this.#resolve(item, [...path, index], of));
    if (isFields(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          this.#resolveText(name),
          this.#resolve(inner, [...path, name], of),
        ]),
      );
    return typeof value === "string" ? this.#resolveText(value) : value;
  }

  #resolveText(text: string): string {
    return String(
      withExpressions(text, (kind, name) =>
        kind === "secret" ? (this.#env[name] ?? "") : this.#idOf(kind, name),
      ),
    );
  }

  #idOf(kind: ReferenceKind, name: string): string {
    const id = this.#created.get(`${kind}:${name}`) ?? this.#snapshot.idsOf(kind, name)[0];
    if (id === undefined) throw new NotYetThere();
    return id;
  }
}

/** Reads the parts of a gateway that a site file needs. */
export const readSnapshotFor = (api: ApiClient, site: Site): Promise<Snapshot> =>
  readSnapshot(api, ({ name }) => site.has(name) || (name === "devices" && site.has("deviceTypes")));

/** Runs a plan up to its first error. Applied actions are added to `done`. */
async function runActions(
  round: Round,
  { plan, lock }: { plan: SitePlan; lock: ApplyOptions["lock"] },
  done: PlannedAction[],
): Promise<void> {
  for (const action of plan.actions) {
    try {
      await lock.keep();
      await round.run(action);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartupError(
        `${nameOfAction(action)} could not be applied: ${reason}\n${done.length} changes were applied. Correct the cause and apply the file again: it continues where it stopped.`,
        { cause: error },
      );
    }
    done.push(action);
  }
}

const describeActions = ({ actions }: SitePlan): string =>
  JSON.stringify(
    actions.map((action) => [nameOfAction(action), "differences" in action && action.differences]),
  );

/**
 * Applies a plan and plans again until there is nothing to do. Returns the remaining plan, which has actions only if the gateway changed the sent
 * values.
 */
export async function applySite(
  api: ApiClient,
  site: Site,
  first: { plan: SitePlan; snapshot: Snapshot },
  options: ApplyOptions,
): Promise<SitePlan> {
  let { plan, snapshot } = first;
  const done: PlannedAction[] = [];
  for (let round = 0; round < ROUNDS_MAX && plan.actions.length > 0; round++) {
    await runActions(new Round(api, snapshot, options), { plan, lock: options.lock }, done);
    const before = describeActions(plan);
    snapshot = await readSnapshotFor(api, site);
    plan = planSite(site, snapshot, { ...options, setsSecrets: false });
    if (plan.problems.length > 0) throw new StartupError(plan.problems.join("\n"));
    if (describeActions(plan) === before) break;
  }
  return plan;
}
