import { t } from "elysia";

export const successBody = t.Object({ success: t.Boolean() });
