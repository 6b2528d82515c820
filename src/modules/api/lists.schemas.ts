/** Schemas of list queries. */
import { t } from "elysia";
import { sortForm } from "../../lib/core/text-forms.ts";

export const LIST_LIMIT_DEFAULT = 1_000;
const LIST_LIMIT_MAX = 10_000;

export const pageQuery = {
  limit: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: LIST_LIMIT_MAX,
      description: `maximum number of items; default ${LIST_LIMIT_DEFAULT}`,
    }),
  ),
  offset: t.Optional(
    t.Integer({ minimum: 0, maximum: 1_000_000_000, description: "number of items to skip" }),
  ),
};

export const searchQuery = (fields: readonly string[]) =>
  t.Optional(t.String({ maxLength: 256, description: `part of ${fields.join(" or ")}` }));

/** Latest time of a range, the maximum of a JavaScript Date. */
const TIME_MS_MAX = 8_640_000_000_000_000;
const epochMs = (description: string) =>
  t.Optional(t.Integer({ minimum: 0, maximum: TIME_MS_MAX, description: `${description}; epoch ms` }));

/** Accepts a time range. Both ends are inclusive and optional. */
export const timeRangeQuery = (descriptions: { readonly from: string; readonly to: string }) => ({
  from: epochMs(descriptions.from),
  to: epochMs(descriptions.to),
});

/** Accepts one of the fields, with a leading `-` for descending order; anything else returns 400. */
export const sortQuery = (fields: readonly string[], order = "") =>
  t.Optional(
    t.String({
      pattern: sortForm(fields),
      description: `one of ${fields.join(", ")}; - before it reverses the order${order}`,
    }),
  );

/** Sort parameter of lists that are only sorted newest first. */
export const newestFirst = t.Optional(
  t.Literal("-createdAt", { description: "the only order of this list: the newest first" }),
);
