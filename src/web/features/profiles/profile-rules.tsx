import { BellRing, Pencil, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { resolveKeyMetadata } from "../../../lib/key-metadata.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { RuleEditor } from "../alarm-rules/rule-editor.tsx";
import { fromRuleForm, newRule, type RuleForm, toRuleForm } from "../alarm-rules/rule-form.ts";
import { ruleText } from "../alarm-rules/rule-text.ts";
import { ProfileHead } from "./profile-head.tsx";
import { profilesApi } from "./profiles-api.ts";

/** The alarm rules of a profile, each said in sentences. */
export function ProfileRules({ profileId }: { profileId: string }) {
  const loaded = useResource(() => profilesApi.get(profileId), [profileId]);
  const defaults = useResource(profilesApi.defaultKeys, []);
  const profile = useKept(loaded);
  /** Index of the open rule; the number of rules for a new one. */
  const [open, setOpen] = useState<number | undefined>(undefined);
  const [removing, setRemoving] = useState<number | undefined>(undefined);
  if (profile === undefined)
    return loaded.error === undefined ? (
      <p class="text-soft">{t("common.loading")}</p>
    ) : (
      <ErrorNote error={loaded.error} onRetry={loaded.reload} />
    );
  const rules = profile.alarmRules.map(toRuleForm);
  const keys = resolveKeyMetadata(defaults.data ?? [], profile.keyMetadata ?? []);
  const save = async (next: readonly RuleForm[]) => {
    // Those that were not changed go back as they came.
    const written = next.map((rule) => {
      const index = rules.indexOf(rule);
      return index < 0 ? fromRuleForm(rule) : (profile.alarmRules[index] as JsonValue);
    });
    await profilesApi.setRules(profileId, written);
    setOpen(undefined);
    loaded.reload();
    toast("success", t("rule.saved"));
  };
  const add = may("profiles:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setOpen(rules.length)}>
      {t("rule.add")}
    </Button>
  );
  const editor = (rule: RuleForm, position: number) => (
    <RuleEditor
      key={position}
      profileId={profileId}
      keys={keys}
      rule={rule}
      others={rules.flatMap((other, index) => (index === position ? [] : other.alarmType))}
      onCancel={() => setOpen(undefined)}
      onSave={(changed) => save(rules.toSpliced(position, 1, changed))}
    />
  );
  return (
    <div class="flex flex-col gap-4">
      <ProfileHead profileId={profileId} name={profile.name} tab="rules">
        {rules.length > 0 && open === undefined && add}
      </ProfileHead>
      {rules.length === 0 && open === undefined && (
        <EmptyPanel icon={BellRing} title={t("rule.none")} hint={t("rule.noneHint")}>
          {add}
        </EmptyPanel>
      )}
      {rules.map((rule, position) =>
        open === position ? (
          editor(rule, position)
        ) : (
          <section key={rule.alarmType} class="panel flex items-start gap-4 p-4" data-testid="rule">
            <div class="min-w-0 flex-1">
              <h3 class="font-medium wrap-anywhere">{rule.alarmType}</h3>
              <p class="text-sm wrap-anywhere text-soft">{ruleText(rule, keys)}</p>
            </div>
            {may("profiles:write") && open === undefined && (
              <div class="flex flex-none gap-1">
                <IconButton
                  icon={Pencil}
                  label={t("rule.editOf", { name: rule.alarmType })}
                  onClick={() => setOpen(position)}
                />
                <IconButton
                  icon={Trash2}
                  label={t("rule.deleteOf", { name: rule.alarmType })}
                  class="btn btn-ghost btn-sm text-error"
                  onClick={() => setRemoving(position)}
                />
              </div>
            )}
          </section>
        ),
      )}
      {open === rules.length && editor(newRule(), open)}
      {removing !== undefined && (
        <ConfirmDialog
          title={t("rule.deleteOf", { name: rules[removing]?.alarmType ?? "" })}
          warning={t("rule.deleteWarning", { name: rules[removing]?.alarmType ?? "" })}
          onCancel={() => setRemoving(undefined)}
          onConfirm={async () => {
            await save(rules.toSpliced(removing, 1));
            setRemoving(undefined);
          }}
        />
      )}
    </div>
  );
}
