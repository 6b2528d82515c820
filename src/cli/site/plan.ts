import { suggest } from "../../lib/strings/suggest.ts";
import { iso, parseIsoTime } from "../../lib/time/iso-time.ts";
import { DOCUMENTED_AS } from "../../modules/api/documented-as.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { findMark } from "./find-mark.ts";
import { type ReferenceKind, secretNameOf, withExpressions } from "./references.ts";
import { isSecretField, SECRET_PREFIX } from "./secret-variables.ts";
import type { Section, SectionSchema } from "./section.types.ts";
import { sections } from "./sections.ts";
import { type FieldPath, type Fields, isFields, type Site, type SiteObject } from "./site.types.ts";
import type { CurrentObject, Snapshot } from "./snapshot.ts";

/*
 * Checks an object of a site file against the schema of the API before anything is sent: unknown names, types and constants. The gateway
 * checks everything else when it gets the object.
 */

type Schema = Readonly<Record<string, unknown>>;

interface FieldProblem {
  readonly path: FieldPath;
  readonly message: string;
  /** True if the value belongs to another member of a union. */
  readonly isOtherMember?: true;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

function checkConstant(value: unknown, allowed: readonly unknown[], path: FieldPath): FieldProblem[] {
  if (allowed.includes(value)) return [];
  const near = suggest(
    String(value),
    allowed.map((constant) => String(constant)),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return [{ path, message: `must be one of ${list(allowed)}.${hint}`, isOtherMember: true }];
}

function checkUnion(value: unknown, members: readonly Schema[], path: FieldPath): FieldProblem[] {
  const constants = members.flatMap((member) => ("const" in member ? [member.const] : []));
  if (constants.length === members.length) return checkConstant(value, constants, path);
  let best: FieldProblem[] | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const problems = check(value, member, path);
    if (problems.length === 0) return [];
    const others = problems.filter(({ isOtherMember }) => isOtherMember).length;
    const weight = problems.length + others * 1_000;
    if (weight < fewest) [best, fewest] = [problems, weight];
  }
  return best ?? [];
}

/** Returns whether a schema is a number in a query, which the API accepts as text. Files contain numbers. */
const isNumberAsText = ({ type, format }: Schema): boolean =>
  type === "string" && ["integer", "numeric", "boolean"].includes(String(format));

function checkNames(value: Fields, properties: Schema, path: FieldPath): FieldProblem[] {
  const names = Object.keys(properties);
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => {
      const near = suggest(name, names);
      const hint = near === undefined ? `Known fields: ${list(names)}.` : `Did you mean "${near}"?`;
      return { path: [...path, name], message: `is not a known field. ${hint}` };
    });
}

function checkObject(value: Fields, schema: Schema, path: FieldPath): FieldProblem[] {
  const { properties, additionalProperties, required } = schema;
  if (!isFields(properties)) {
    if (!isFields(additionalProperties)) return [];
    return Object.entries(value).flatMap(([name, inner]) =>
      check(inner, additionalProperties, [...path, name]),
    );
  }
  const missing = (Array.isArray(required) ? required : []).filter(
    (name: string) => !Object.hasOwn(value, name),
  );
  return [
    ...(additionalProperties === undefined || additionalProperties === false
      ? checkNames(value, properties, path)
      : []),
    ...missing.map((name: string) => ({ path, message: `needs the field "${name}".` })),
    ...Object.entries(value).flatMap(([name, inner]) =>
      Object.hasOwn(properties, name) ? check(inner, properties[name] as Schema, [...path, name]) : [],
    ),
  ];
}

function check(value: unknown, declared: Schema, path: FieldPath): FieldProblem[] {
  const documented = declared[DOCUMENTED_AS];
  const schema = isFields(documented) ? documented : declared;
  if (secretNameOf(value) !== undefined) return [];
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members))
    return checkUnion(
      value,
      members.filter((member: Schema) => !isNumberAsText(member)),
      path,
    );
  if ("const" in schema) return checkConstant(value, [schema.const], path);
  if (Array.isArray(schema.enum)) return checkConstant(value, schema.enum, path);
  const { type, items } = schema;
  if (typeof type !== "string") return [];
  if (!hasType(value, type))
    return [{ path, message: `must be ${typeNames[type] ?? type}.`, isOtherMember: true }];
  if (Array.isArray(value) && isFields(items))
    return value.flatMap((item: unknown, index) => check(item, items, [...path, index]));
  return isFields(value) ? checkObject(value, schema, path) : [];
}

/** Returns the mistakes in the fields of an object. With `isNew`, required fields must be present. */
function checkFields(fields: Fields, schema: SectionSchema, { isNew }: { isNew: boolean }): FieldProblem[] {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return [
    ...checkNames(fields, schema.properties, []),
    ...(isNew ? (schema.required ?? []) : [])
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => ({ path: [], message: `needs the field "${name}".` })),
    ...present.flatMap(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      return property === undefined ? [] : check(value, property, [name]);
    }),
  ];
}

export type PlannedAction =
  | { readonly type: "create"; readonly section: Section; readonly object: SiteObject }
  | {
      readonly type: "change" | "replace";
      readonly section: Section;
      readonly object: SiteObject;
      readonly current: CurrentObject;
      readonly differences: readonly Difference[];
    }
  | { readonly type: "delete"; readonly section: Section; readonly current: CurrentObject };

/** Formats section and name of the object of an action. */
export function nameOfAction(action: PlannedAction): string {
  const key = action.type === "delete" ? action.current.key : action.object.key;
  return key === "" ? action.section.name : `${action.section.name} ${JSON.stringify(key)}`;
}

export interface SitePlan {
  readonly actions: readonly PlannedAction[];
  readonly unchanged: number;
  /** Reasons why nothing can be applied, with their positions. */
  readonly problems: readonly string[];
  /** Environment variables that are sent as secrets, with the receiving fields. */
  readonly secrets: readonly PlannedSecret[];
}

export interface PlannedSecret {
  readonly variable: string;
  readonly object: string;
  readonly path: FieldPath;
}

export interface PlanOptions {
  /** Secrets by name in site files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prunes: boolean;
  readonly setsSecrets: boolean;
  /** True if objects that cannot be changed are replaced. */
  readonly replacesKeys: boolean;
  /** The applying user, who cannot delete themselves. */
  readonly email: string | undefined;
}

const SECRET_NAME = /^[A-Za-z0-9_]+$/;

/** Creates the plan of one site for one gateway. */
class Planner {
  readonly #site: Site;
  readonly #snapshot: Snapshot;
  readonly #options: PlanOptions;
  readonly #actions: PlannedAction[] = [];
  readonly #problems: string[] = [];
  readonly #secrets: PlannedSecret[] = [];
  #unchanged = 0;

  constructor(site: Site, snapshot: Snapshot, options: PlanOptions) {
    this.#site = site;
    this.#snapshot = snapshot;
    this.#options = options;
  }

  plan(): SitePlan {
    for (const section of sections)
      for (const object of this.#site.get(section.name) ?? []) this.#planObject(section, object);
    if (this.#options.prunes) for (const section of sections.toReversed()) this.#planDeletions(section);
    return {
      actions: this.#actions,
      unchanged: this.#unchanged,
      problems: this.#problems,
      secrets: this.#secrets,
    };
  }

  #planObject(section: Section, object: SiteObject): void {
    const [current, second] = this.#snapshot.objects.get(section.name)?.get(object.key) ?? [];
    const report = (path: readonly (string | number)[], message: string) =>
      this.#problems.push(`${object.where(path)} ${message}`);
    if (second !== undefined) return void report([], "is the name of several objects of this gateway.");
    const problems = checkFields(object.fields, section.schema, { isNew: current === undefined });
    for (const { path, message } of problems) report(path, message);
    if (problems.length > 0) return;
    this.#checkReferences(section, object);
    if (current === undefined) {
      this.#checkCreation(section, object);
      this.#checkSecrets(section, object, { names: Object.keys(object.fields) });
      this.#actions.push({ type: "create", section, object });
      return;
    }
    const differences = this.#differencesOf(section, object, current);
    for (const { path } of differences)
      if (section.createOnly?.includes(String(path[0])))
        report(path, "cannot be changed after the creation.");
    this.#checkSecrets(section, object, { current, names: differences.map(({ path }) => String(path[0])) });
    if (differences.length === 0) {
      this.#unchanged++;
      return;
    }
    const type = section.replace === undefined ? "change" : "replace";
    if (type === "replace" && !this.#options.replacesKeys)
      report([], "cannot be changed, only replaced, and what uses it needs the new one. Add --replace-keys.");
    this.#actions.push({ type, section, object, current, differences });
  }

  /** Checks defaults of device types, which are set through a device of the type. */
  #checkCreation(section: Section, object: SiteObject): void {
    if (section.name !== "deviceTypes") return;
    const isOfType = (fields: Fields) => fields.deviceType === object.key;
    const planned = (this.#site.get("devices") ?? []).some(({ fields }) => isOfType(fields));
    const existing = [...(this.#snapshot.objects.get("devices")?.values() ?? [])].flat();
    if (!planned && !existing.some(({ fields }) => isOfType(fields)))
      this.#problems.push(`${object.where([])} is a type that no device has.`);
  }

  #differencesOf(section: Section, object: SiteObject, current: CurrentObject): Difference[] {
    const { env, setsSecrets } = this.#options;
    return Object.entries(object.fields).flatMap(([name, to]) => {
      if (name === section.key) return [];
      const from = Object.hasOwn(current.fields, name) ? current.fields[name] : undefined;
      if (section.exclusive?.includes(name) && to === false && from === undefined) return [];
      const isPartial = section.defaulted?.includes(name) ?? false;
      const revealed = (text: string) => revealSecrets(text, env);
      const [wanted, present] = [to, from].map((value) => comparable(section, name, value));
      return differencesOf(wanted, present, { revealed, setsSecrets, isPartial }, [name]);
    });
  }

  #planDeletions(section: Section): void {
    const wanted = this.#site.get(section.name);
    if (!section.prunes || wanted === undefined) return;
    const keys = new Set(wanted.map(({ key }) => key));
    for (const current of [...(this.#snapshot.objects.get(section.name)?.values() ?? [])].flat())
      if (!keys.has(current.key) && !this.#isNeeded(section, current))
        this.#actions.push({ type: "delete", section, current });
  }

  /** Returns whether a gateway requires an object. */
  #isNeeded(section: Section, { key, id, fields }: CurrentObject): boolean {
    if (section.kind === "user") return key === this.#options.email;
    return fields.isDefault === true || id === this.#snapshot.ownProfileId;
  }

  #checkReferences(section: Section, object: SiteObject): void {
    eachText(object.fields, (text, path) => {
      withExpressions(text, (kind, name) => {
        const message =
          kind === "secret" ? secretProblem(section, path, name) : this.#referenceProblem(kind, name);
        if (message !== undefined) this.#problems.push(`${object.where(path)} ${message}`);
        return "";
      });
    });
  }

  #referenceProblem(kind: ReferenceKind, name: string): string | undefined {
    const section = sections.find((candidate) => candidate.kind === kind);
    const planned = (this.#site.get(section?.name ?? "") ?? []).map(({ key }) => key);
    const found = this.#snapshot.idsOf(kind, name).length;
    if (found > 1) return `refers to the ${kind} ${JSON.stringify(name)}, and several have that name.`;
    if (found === 1 || planned.includes(name)) return undefined;
    const near = suggest(name, [...planned, ...this.#snapshot.namesOf(kind)]);
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    return `refers to the ${kind} ${JSON.stringify(name)}, which neither the file nor the gateway has.${hint}`;
  }

  /** Checks that each secret of a sent field is in the environment or kept by the gateway. */
  #checkSecrets(
    section: Section,
    object: SiteObject,
    { current, names }: { current?: CurrentObject; names: readonly string[] },
  ): void {
    const visit = (text: string, path: FieldPath) => {
      const whole = secretNameOf(text);
      const mark =
        whole === undefined ? undefined : findMark({ fields: object.fields, current }, whole, path);
      withExpressions(text, (kind, secret) => {
        if (kind === "secret" && secretProblem(section, path, secret) === undefined)
          this.#noteSecret(secret, { section, object, path, isKept: mark !== undefined });
        return "";
      });
    };
    for (const name of new Set(names)) eachText(object.fields[name], visit, [name]);
  }

  #noteSecret(
    secret: string,
    of: { section: Section; object: SiteObject; path: FieldPath; isKept: boolean },
  ): void {
    const { section, object, path, isKept } = of;
    const variable = SECRET_PREFIX + secret;
    if (this.#options.env[secret] !== undefined) {
      const named = object.key === "" ? section.name : `${section.name} ${JSON.stringify(object.key)}`;
      this.#secrets.push({ variable, object: named, path });
    } else if (!isKept)
      this.#problems.push(`${object.where(path)} needs a secret: set the environment variable ${variable}.`);
  }
}

/** Returns the normalized form of a value for comparisons. */
function comparable(section: Section, field: string, value: unknown): unknown {
  if (section.unordered?.includes(field) && Array.isArray(value)) return value.toSorted();
  if (!section.times?.includes(field) || typeof value !== "string") return value;
  const timeMs = parseIsoTime(value);
  return timeMs === undefined ? value : iso(timeMs);
}

function secretProblem(section: Section, path: FieldPath, name: string): string | undefined {
  const shown = JSON.stringify(name);
  if (!SECRET_NAME.test(name))
    return `has ${shown} as a secret, which cannot be part of an environment variable.`;
  if (isSecretField(section.name, path)) return undefined;
  return `has the secret ${shown}, but is not a field for secrets.`;
}

function eachText(
  value: unknown,
  visit: (text: string, path: readonly (string | number)[]) => void,
  path: readonly (string | number)[] = [],
): void {
  if (typeof value === "string") visit(value, path);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) eachText(item, visit, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      visit(name, [...path, name]);
      eachText(inner, visit, [...path, name]);
    }
}

/** Replaces secrets in a text from the environment; undefined if one is missing. */
export function revealSecrets(text: string, env: PlanOptions["env"]): string | undefined {
  let isComplete = true;
  const revealed = withExpressions(text, (kind, name) => {
    if (kind !== "secret") return `\${${kind}:${name}}`;
    isComplete &&= env[name] !== undefined;
    return env[name] ?? "";
  });
  return isComplete ? String(revealed) : undefined;
}

export const planSite = (site: Site, snapshot: Snapshot, options: PlanOptions): SitePlan =>
  new Planner(site, snapshot, options).plan();
