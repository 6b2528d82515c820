import { type IntegerOptions, Type } from "@sinclair/typebox";
import { t } from "elysia";

/** A whole number in a JSON body. `t.Integer` also accepts its text, which only queries need. */
export const wholeNumber = (options: IntegerOptions) => Type.Integer(options);

export const successBody = t.Object({ success: t.Boolean() }, { title: "Success" });
