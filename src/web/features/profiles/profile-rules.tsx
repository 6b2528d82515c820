import { BellRing, Pencil, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type KeyMetadata, type KeyMetadataMap, resolveKeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { together, useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { Loaded, Skeleton } from "../../ui/page/loaded.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { RuleEditor } from "../alarms/rules/rule-editor.tsx";
import { fromRuleForm, newRule, type RuleForm, toRuleForm } from "../alarms/rules/rule-form.ts";
import { ruleText } from "../alarms/rules/rule-text.ts";
import { suggestedRule } from "../alarms/rules/suggested-rule.ts";
import { useObservedValue } from "../alarms/rules/use-observed-value.ts";
import { ProfileHead } from "./profile-head.tsx";
import { type Profile, profilesApi } from "./profiles-api.ts";

type EditorProps = Omit<Parameters<typeof RuleEditor>[0], "rule" | "isNew">;

/** Form for a new rule, filled in if it was opened for a value of a device. */
function NewRule(props: EditorProps & { deviceId: string | undefined; keyName: string | undefined }) {
  const { deviceId, keyName, ...editor } = props;
  return deviceId === undefined || keyName === undefined ? (
    <RuleEditor {...editor} rule={newRule()} isNew />
  ) : (
    <RuleOnValue {...editor} deviceId={deviceId} keyName={keyName} />
  );
}

function RuleOnValue(props: EditorProps & { deviceId: string; keyName: string }) {
  const { deviceId, keyName, ...editor } = props;
  const observed = useObservedValue(deviceId, keyName, props.keys.get(keyName));
  return observed === undefined ? (
    <Skeleton />
  ) : (
    <RuleEditor {...editor} rule={suggestedRule(observed, deviceId, props.others)} isNew />
  );
}

/** Lists the alarm rules of a profile in sentences. */
export function ProfileRules({ profileId }: { profileId: string }) {
  const loaded = useKept(() => profilesApi.get(profileId), [profileId]);
  const defaults = useResource(() => profilesApi.defaultKeys().catch(() => []), []);
  return (
    <Loaded of={together({ profile: loaded, defaults })} isPage>
      {(parts) => <RuleList {...parts} onChanged={loaded.reload} />}
    </Loaded>
  );
}

const typeOf = (rule: unknown) => (rule as { alarmType?: string }).alarmType; // as the service checked it

/** Returns the alarm types of the rules that name a key. */
const rulesOnKey = ({ alarmRules }: Profile, key: string): string[] =>
  alarmRules.flatMap((rule) => (namesKey(rule, key) ? (typeOf(rule) ?? []) : []));

const namesKey = (part: unknown, key: string): boolean =>
  typeof part === "object" &&
  part !== null &&
  (Reflect.get(part, "key") === key || Object.values(part).some((inner) => namesKey(inner, key)));

interface ListProps {
  readonly profile: Profile;
  readonly defaults: readonly KeyMetadata[];
  readonly onChanged: () => void;
}

/** Holds the rules of a profile as drafts, and saves all of them. */
function useRules(profile: Profile, onSaved: () => void) {
  const rules = profile.alarmRules.map(toRuleForm);
  const save = async (next: readonly RuleForm[]) => {
    // Unchanged rules are sent back as received.
    const before = new Map(rules.map((rule, index) => [rule, profile.alarmRules[index] as JsonValue]));
    await profilesApi.update(profile, {
      alarmRules: next.map((rule) => before.get(rule) ?? fromRuleForm(rule)),
    });
    onSaved();
    toast("success", t("rule.saved"));
  };
  return { rules, save };
}

function RuleList({ profile, defaults, onChanged }: ListProps) {
  const { path, query, route } = useLocation();
  const { rule: keyName, device: deviceId, edit } = query;
  const isOnValue = keyName !== undefined && deviceId !== undefined;
  const mayChange = may("profiles:write");
  /** Rules for the value that the page was opened for. */
  const onValue = keyName === undefined ? [] : rulesOnKey(profile, keyName);
  /** Index of the open rule. */
  const [open, setOpen] = useState<number | "new" | undefined>(() => {
    if (!mayChange) return undefined;
    const position = profile.alarmRules.findIndex((rule) => typeOf(rule) === edit);
    if (position >= 0) return position;
    if (edit === "") return "new";
    return isOnValue && onValue.length === 0 ? "new" : undefined;
  });
  const { profileId } = profile;
  const keys = resolveKeyMetadata(defaults, profile.keyMetadata ?? []);
  const close = () => {
    setOpen(undefined);
    if (isOnValue || edit !== undefined) route(path, true);
  };
  const { rules, save } = useRules(profile, () => {
    close();
    onChanged();
  });
  const add = mayChange && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setOpen("new")}>
      {t("rule.add")}
    </Button>
  );
  const editorProps = (position: number): EditorProps => ({
    profileId,
    profileName: profile.name,
    keys,
    others: rules.flatMap((other, index) => (index === position ? [] : other.alarmType)),
    onCancel: close,
    onSave: (changed) => save(rules.toSpliced(position, 1, changed)),
  });
  return (
    <div class="flex flex-col gap-4">
      <ProfileHead profileId={profileId} name={profile.name} tab="rules">
        {rules.length > 0 && open === undefined && add}
      </ProfileHead>
      {onValue.length > 0 && open === undefined && (
        <p class="flex flex-wrap items-center gap-3" role="status">
          {plural("rule.onValue", onValue.length)}
          <a class="link text-sm" href={path}>
            {t("rule.showAll")}
          </a>
        </p>
      )}
      {rules.length === 0 && open === undefined && (
        <EmptyPanel icon={BellRing} title={t("rule.none")} hint={t("rule.noneHint")}>
          {add}
        </EmptyPanel>
      )}
      {open === "new" && <NewRule {...editorProps(rules.length)} deviceId={deviceId} keyName={keyName} />}
      {rules.map((rule, position) =>
        open === position ? (
          <RuleEditor key={position} {...editorProps(position)} rule={rule} isNew={false} />
        ) : (
          (open !== undefined || onValue.length === 0 || onValue.includes(rule.alarmType)) && (
            <RuleRow
              key={rule.alarmType}
              rule={rule}
              keys={keys}
              isFixed={!mayChange || open !== undefined}
              onEdit={() => setOpen(position)}
              onDelete={() =>
                ask({
                  title: t("common.deleteName", { name: rule.alarmType }),
                  warning: t("rule.deleteWarning", { name: rule.alarmType }),
                  onConfirm: () => save(rules.toSpliced(position, 1)),
                })
              }
            />
          )
        ),
      )}
    </div>
  );
}

function RuleRow(props: {
  rule: RuleForm;
  keys: KeyMetadataMap;
  isFixed: boolean;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { rule } = props;
  return (
    <section class="panel flex items-start gap-4 p-4" data-testid="rule">
      <div class="min-w-0 flex-1">
        <h3 class="font-medium wrap-anywhere">{rule.alarmType}</h3>
        <p class="text-sm wrap-anywhere text-soft">{ruleText(rule, props.keys)}</p>
      </div>
      {!props.isFixed && (
        <div class="flex flex-none gap-1">
          <IconButton
            icon={Pencil}
            label={t("common.editName", { name: rule.alarmType })}
            onClick={props.onEdit}
          />
          <DeleteButton label={t("common.deleteName", { name: rule.alarmType })} onClick={props.onDelete} />
        </div>
      )}
    </section>
  );
}
