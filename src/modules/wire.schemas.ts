import { type IntegerOptions, Type } from "@sinclair/typebox";
import { t } from "elysia";

/** A whole number in a JSON body. `t.Integer` also accepts its text, which only queries need. */
export const wholeNumber = (options: IntegerOptions) => Type.Integer(options);

export const successBody = t.Object({ success: t.Boolean() });

/** What every list takes; answers carry `X-Total-Count` and `Link: rel="next"`. */
export const listQuery = {
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: 10_000, description: "at most this many, 1000 unless given" }),
  ),
  offset: t.Optional(t.Integer({ minimum: 0, maximum: 1_000_000_000, description: "skips this many" })),
  search: t.Optional(t.String({ maxLength: 256, description: "part of a name" })),
};
