import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { outdated } from "../../lib/core/domain-error.ts";
import { mapRows, type RowList } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Principal } from "../users/users.types.ts";
import { wholeList } from "./lists.ts";
import type { ChangeTexts, OperationTexts, ResourceApi, ResourceSchemas } from "./resource.ts";
import { successBody } from "./wire.schemas.ts";

/** Values in the form of responses, in immutable lists and objects. */
type Wire<Value> = Value extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Wire<Value[Name]> }
    : Value;

/** Service called by a resource's routes. `Shown` is an item as visible to the caller. */
export interface ResourceService<Shown, Create, Update> {
  get(principal: Principal, id: string): Shown;
  create(principal: Principal, input: Create): Shown | Promise<Shown>;
  update(principal: Principal, id: string, changes: Update): Shown | Promise<Shown>;
  delete(principal: Principal, id: string): void | Promise<void>;
}

/** Returns the state that the audit log compares before and after a change. */
type AuditReader = (context: AuditContext, id: string) => unknown;

/** Action on one item beyond changing its fields; returns the item. */
interface Action<Shown> extends ChangeTexts {
  readonly body?: TSchema;
  /** @param body validated by its schema */
  run(principal: Principal, id: string, body: unknown): Shown | Promise<Shown>;
}

interface RoutesDeps<Shown, Api extends ResourceSchemas> {
  readonly service: ResourceService<Shown, Static<Api["create"]>, Static<Api["update"]>>;
  readonly toWire: (shown: Shown, request: Request) => Wire<Static<Api["item"]>>;
  readonly read: AuditReader;
  /** Actions by the last part of the path. */
  readonly actions?: Readonly<Record<string, Action<Shown>>>;
  readonly auth: AuthPlugin;
}

/** The list of the service, or a list of rows that may be long. */
type Listing<Shown> =
  | {
      readonly longList?: undefined;
      /** @param query parameters of the list, validated by the schemas of its filters */
      readonly service: { list(principal: Principal, query: unknown): readonly Shown[] };
    }
  | { readonly longList: LongList<Shown> };

/** Rows whose keys have the id, and the fields by which the list is searched and sorted. */
type ShownRows<Shown> = RowList<Shown, object>;

interface LongList<Shown> {
  readonly responses: ResponseSpace;
  /** @param query parameters of the list, validated by the schemas of its filters */
  read(principal: Principal, query: unknown): ShownRows<Shown> | Promise<ShownRows<Shown>>;
}

/** Creates a reader of an item's fields, as visible to the caller, for the audit log. */
export const auditReader =
  <Shown extends object>(
    service: { get(principal: Principal, id: string): Shown },
    fields: readonly (keyof Shown)[],
  ) =>
  ({ principal }: AuditContext, id: string): Partial<Shown> => {
    const shown = service.get(principal, id);
    return Object.fromEntries(fields.map((field) => [field, shown[field]])) as Partial<Shown>; // fields of it
  };

type Fields = Record<string, unknown>;

/** Returns the declarations of a changing route: permission, audit rule and texts. */
const changing =
  ({ name, permissions, schemas }: ResourceApi<ResourceSchemas>, read: AuditReader) =>
  (operation: string, { action = operation, ...texts }: ChangeTexts, created?: string) => ({
    auth: permissions.write,
    audit: { action: `${name}.${action}`, target: name, ...(created !== undefined && { created }), read },
    detail: { operationId: `${operation}${schemas.item.title}`, ...texts },
  });

const ifMatch = {
  name: "If-Match",
  in: "header" as const,
  required: false,
  description: "the `updatedAt` that you read, in double quotes; without it, the last change wins",
  schema: { type: "string" as const },
  example: '"2026-11-28T12:00:00.000Z"',
};

/** @throws DomainError `outdated` if `If-Match` names none of the given versions */
export function ensureUnchanged(request: Request, updatedAt: unknown): void {
  const header = request.headers.get("if-match");
  if (header === null || header.trim() === "*") return;
  const named = header.split(",").map((tag) => tag.trim().replace(/^"|"$/g, ""));
  if (!named.includes(String(updatedAt)))
    throw outdated("request.outdated", { updatedAt: String(updatedAt) });
}

/** Returns the texts of a change that accepts `If-Match`. */
export const withIfMatch = <Texts extends OperationTexts>(texts: Texts) => ({
  ...texts,
  errors: { 412: "The object was changed after the version that `If-Match` names.", ...texts.errors },
  parameters: [ifMatch],
});

/** Creates the routes of a resource, to which others can be added. */
export function resourceRoutes<Shown, Api extends ResourceSchemas>(
  resource: ResourceApi<Api>,
  deps: RoutesDeps<Shown, Api> & Listing<Shown>,
) {
  const { service, auth } = deps;
  const { path, parameter = resource.key, tag, permissions, operations, isVersioned = false } = resource;
  const schemas: ResourceSchemas = resource.schemas;
  const { item, listed = item, detail = item, created = item, updated = item } = schemas;
  const list = wholeList(resource.list);
  const change = changing(resource, deps.read);
  // The fields are checked against the schemas at runtime, which the compiler cannot see.
  const toWire = (shown: Shown, request: Request): Fields => deps.toWire(shown, request) as Fields;
  // Elysia drops fields missing from the schema; streamed lists must do it themselves.
  const listedFields = (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name in listed.properties));
  const itemPath = `/:${parameter}`;
  const idOf = (params: unknown): string => (params as Record<string, string>)[parameter] ?? "";

  const routes = new Elysia({ prefix: path, tags: [tag] }).use(auth);
  routes.get(
    "",
    async ({ principal, query, request, set }) => {
      if (deps.longList === undefined) {
        const shown = deps.service.list(principal, query).map((each) => toWire(each, request));
        return list.page({ query, request, set }, shown);
      }
      const { responses, read } = deps.longList;
      const rows = mapRows(await read(principal, query), (shown) => listedFields(toWire(shown, request)));
      return list.longPage({ query, request, responses }, rows);
    },
    {
      auth: permissions.read,
      query: t.Object({ ...list.fields, ...resource.list.filters }),
      response: { 200: t.Array(listed) },
      detail: { operationId: `list${item.title}s`, ...operations.list },
    },
  );
  if (operations.get !== undefined)
    routes.get(
      itemPath,
      ({ principal, params, request }) => toWire(service.get(principal, idOf(params)), request),
      {
        auth: permissions.read,
        response: { 200: detail },
        detail: { operationId: `get${item.title}`, ...operations.get },
      },
    );
  routes.post(
    "",
    async ({ principal, body, request, set }) => {
      const shown = await service.create(principal, body as Static<Api["create"]>);
      set.status = 201;
      return toWire(shown, request);
    },
    {
      ...change("create", operations.create, resource.key),
      body: schemas.create,
      response: { 201: created },
    },
  );
  routes.patch(
    itemPath,
    async ({ principal, params, body, request }) => {
      const id = idOf(params);
      if (isVersioned) ensureUnchanged(request, toWire(service.get(principal, id), request).updatedAt);
      return toWire(await service.update(principal, id, body as Static<Api["update"]>), request);
    },
    {
      ...change("update", isVersioned ? withIfMatch(operations.update) : operations.update),
      body: schemas.update,
      response: { 200: updated },
    },
  );
  routes.delete(
    itemPath,
    async ({ principal, params }) => {
      await service.delete(principal, idOf(params));
      return { success: true };
    },
    { ...change("delete", operations.delete), response: { 200: successBody } },
  );
  for (const [action, { run, body: schema, ...texts }] of Object.entries(deps.actions ?? {}))
    routes.post(
      `${itemPath}/${action}`,
      async ({ principal, params, body, request }) =>
        toWire(await run(principal, idOf(params), body), request),
      {
        ...change(action, texts),
        ...(schema !== undefined && { body: schema }),
        response: { 200: item },
      },
    );
  return routes;
}
