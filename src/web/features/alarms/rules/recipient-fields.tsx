import { useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { Checkbox, Radio } from "../../../ui/form/choice.tsx";
import type { ControlProps } from "../../../ui/form/form-definition.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { messengersApi } from "../../notifications/messengers-api.ts";
import { NoMailNote } from "../../notifications/no-mail-note.tsx";
import { notificationsApi } from "../../notifications/notifications-api.ts";
import { usersApi } from "../../users/users-api.ts";

const USERS_SHOWN = 100;
const KINDS = ["all", "selected", "nobody"] as const;
type Kind = (typeof KINDS)[number];

interface Recipient {
  readonly id: string;
  readonly label: string;
}

/** Returns the possible recipients of a rule that the user may see. */
async function listRecipients(): Promise<{ readonly recipients: Recipient[]; readonly isComplete: boolean }> {
  const [users, messengers] = await Promise.all([
    may("users:read") ? usersApi.list({ limit: USERS_SHOWN, offset: 0 }) : undefined,
    may("alarms:escalation") ? messengersApi.list() : undefined,
  ]);
  return {
    recipients: [
      ...(users?.rows ?? []).map(({ userId, email }) => ({ id: userId, label: email })),
      ...(messengers ?? []).map(({ messengerId, name, kind }) => ({
        id: messengerId,
        label: `${name} (${t(`fieldOption.messenger.kind.${kind}`)})`,
      })),
    ],
    isComplete: users !== undefined && users.total <= USERS_SHOWN && messengers !== undefined,
  };
}

/** Selects who is notified of the alarms of a rule; null for all users and messengers, according to their settings. */
export function RecipientFields({ label, value, onChange }: ControlProps) {
  const recipientIds = value as readonly string[] | null; // the type of the schema, or all
  const list = useResource(listRecipients, []);
  const settings = useResource(
    async () => (may("alarms:escalation") ? await notificationsApi.settings() : undefined),
    [],
  );
  const { recipients = [], isComplete = false } = list.data ?? {};
  const missing = (recipientIds ?? []).filter((recipientId) =>
    recipients.every(({ id }) => id !== recipientId),
  );
  const shown = [
    ...recipients,
    ...(isComplete ? missing.map((id) => ({ id, label: t("rule.recipientDeleted") })) : []),
  ];
  /** True while a selection is open, even after its last recipient is removed, until another kind is selected. */
  const [isSelecting, setSelecting] = useState(false);
  const isEmpty = recipientIds?.length === 0;
  const kind: Kind = recipientIds === null ? "all" : isEmpty && !isSelecting ? "nobody" : "selected";
  const select = (next: Kind) => {
    const [first] = recipients;
    setSelecting(next === "selected");
    if (next === "all") onChange(null);
    else onChange(next === "nobody" || first === undefined ? [] : [first.id]);
  };
  const toggle = (id: string, isIn: boolean) => {
    setSelecting(true);
    onChange(isIn ? [...(recipientIds ?? []), id] : (recipientIds ?? []).filter((other) => other !== id));
  };
  return (
    <fieldset class="flex flex-col gap-2.5 text-sm">
      <legend class="mb-2 font-medium">{label}</legend>
      {KINDS.filter((id) => id !== "selected" || recipients.length > 0 || kind === id).map((id) => (
        <Radio key={id} name="recipients" checked={kind === id} onChange={() => select(id)}>
          {t(`rule.recipients.${id}`)}
        </Radio>
      ))}
      {kind === "selected" && (
        <div
          class="ml-8 flex flex-wrap gap-x-6 gap-y-2"
          // The browser does not send the form without a recipient.
          ref={(boxes) =>
            boxes?.querySelector("input")?.setCustomValidity(isEmpty ? t("rule.recipientNeeded") : "")
          }
        >
          {shown.map(({ id, label }) => (
            <Checkbox
              key={id}
              checked={recipientIds?.includes(id) === true}
              onCheck={(isIn) => toggle(id, isIn)}
            >
              {label}
            </Checkbox>
          ))}
        </div>
      )}
      {kind === "selected" && isEmpty && <p class="ml-8 text-error">{t("rule.recipientNeeded")}</p>}
      {kind !== "nobody" && settings.data?.mailDelivering === false && <NoMailNote />}
      <Loaded of={list} />
    </fieldset>
  );
}
