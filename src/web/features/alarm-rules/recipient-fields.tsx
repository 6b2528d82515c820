import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { notificationsApi } from "../notifications/notifications-api.ts";
import { usersApi } from "../users/users-api.ts";

const USERS_SHOWN = 100;
const KINDS = ["all", "selected", "nobody"] as const;
type Kind = (typeof KINDS)[number];

/** Selects who is notified of the alarms of a rule; null for all users, according to their settings. */
export function RecipientFields(props: {
  recipientIds: readonly string[] | null;
  onChange: (recipientIds: readonly string[] | null) => void;
}) {
  const { recipientIds, onChange } = props;
  const users = useResource(
    async () => (may("users:read") ? (await usersApi.list({ limit: USERS_SHOWN, offset: 0 })).rows : []),
    [],
  );
  const settings = useResource(
    async () => (may("alarms:escalation") ? await notificationsApi.settings() : undefined),
    [],
  );
  const shown = users.data ?? [];
  const kind: Kind = recipientIds === null ? "all" : recipientIds.length === 0 ? "nobody" : "selected";
  const select = (next: Kind) => {
    const [first] = shown;
    if (next === "all") onChange(null);
    else onChange(next === "nobody" || first === undefined ? [] : [first.userId]);
  };
  const toggle = (userId: string, isIn: boolean) =>
    onChange(isIn ? [...(recipientIds ?? []), userId] : (recipientIds ?? []).filter((id) => id !== userId));
  return (
    <fieldset class="flex flex-col gap-2.5 text-sm">
      <legend class="mb-2 font-medium">{t("rule.recipients")}</legend>
      {KINDS.filter((id) => id !== "selected" || shown.length > 0 || kind === id).map((id) => (
        <Radio key={id} name="recipients" checked={kind === id} onChange={() => select(id)}>
          {t(`rule.recipients.${id}`)}
        </Radio>
      ))}
      {kind === "selected" && (
        <div class="ml-8 flex flex-wrap gap-x-6 gap-y-2">
          {shown.map(({ userId, email }) => (
            <Checkbox
              key={userId}
              checked={recipientIds?.includes(userId) === true}
              onCheck={(isIn) => toggle(userId, isIn)}
            >
              {email}
            </Checkbox>
          ))}
        </div>
      )}
      {kind !== "nobody" && settings.data?.mailDelivering === false && (
        <p class="text-warning" role="note">
          {t("notifier.noMail")}
        </p>
      )}
      {users.error !== undefined && <ErrorNote error={users.error} onRetry={users.reload} />}
    </fieldset>
  );
}
