import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { defined } from "../../lib/core/defined.ts";
import { detail, invalid } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import { readFields, requestOf } from "./messenger-presets.ts";
import type { Messenger, MessengerInput } from "./messengers.resource.ts";
import type { MessengerTarget } from "./messengers.types.ts";
import { NOTIFICATION_TRIGGERS } from "./notifications.types.ts";

/** Messenger without the fields that its store adds. */
type MessengerSettings = Omit<Messenger, "messengerId" | "createdAt" | "updatedAt">;

export const hasSecret = ({ target }: MessengerSettings): boolean =>
  target.sealedUrl !== undefined || Object.keys(target.headers).length > 0;

/** Returns a new messenger that sends all alarms, without a target. */
export const newMessenger = (
  tenantId: TenantId,
  { name, kind }: Pick<Messenger, "name" | "kind">,
  language: Messenger["language"],
): MessengerSettings => ({
  tenantId,
  name,
  kind,
  isEnabled: true,
  ruleScope: "ALL",
  language,
  severities: ALARM_SEVERITIES,
  triggers: NOTIFICATION_TRIGGERS,
  fields: { server: "", chatId: "", topic: "" },
  target: { url: "", headers: {} },
});

/** Returns a function that applies changes to a messenger, checks them and seals its secret. */
export function createMessengerChanges(outbound: Pick<OutboundService, "seal" | "refusalOf">) {
  function targetOf(
    tenantId: TenantId,
    { kind, fields }: MessengerSettings,
    secret: string,
  ): MessengerTarget {
    const { url, headers } = requestOf(kind, fields, secret);
    const refusal = outbound.refusalOf(tenantId, url);
    if (refusal !== undefined)
      throw invalid("messengers.invalid", {
        field: kind === "TEAMS" || kind === "SLACK" ? "secret" : "server",
        rule: detail("rule.address_refused", { refusal }),
      });
    const isSecret = secret !== "" && url.includes(secret);
    return {
      url: isSecret ? new URL(url).origin : url,
      ...(isSecret && { sealedUrl: outbound.seal(url) }),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, outbound.seal(value)]),
      ),
    };
  }

  /** Returns the changed messenger; its secret is kept only for the same server of the same service. */
  return function changed(
    before: MessengerSettings,
    { server, chatId, topic, ...input }: MessengerInput,
  ): MessengerSettings {
    const { secret = hasSecret(before) ? undefined : "", ...changes } = input;
    const messenger = { ...before, ...defined(changes) };
    const { kind } = messenger;
    const changedFields = defined({ server, chatId, topic });
    const fields = readFields(
      kind,
      kind === before.kind ? { ...before.fields, ...changedFields } : changedFields,
      secret,
    );
    const after = { ...messenger, fields };
    if (secret !== undefined) return { ...after, target: targetOf(before.tenantId, after, secret.trim()) };
    if (kind !== before.kind || fields.server !== before.fields.server) {
      // Otherwise, users could obtain the secret by changing the address to their own server.
      const rule = detail("rule.secret_moved");
      throw invalid("messengers.invalid", { field: "secret", rule });
    }
    return after;
  };
}
