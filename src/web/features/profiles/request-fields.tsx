import { Plus } from "lucide-preact";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Section } from "../../ui/page/section.tsx";
import { isValidDraft, newDraft, type RequestDraft, SCRIPT_EXAMPLE } from "./request-drafts.ts";

const DRAFTS_MAX = 32;

interface Props {
  readonly drafts: readonly RequestDraft[];
  readonly onChange: (drafts: readonly RequestDraft[]) => void;
}

/** Edits a profile's replies to requests from its devices. */
export function RequestFields({ drafts, onChange }: Props) {
  return (
    <Section id="profile-requests" title={t("profile.requests")}>
      <p class="text-sm text-soft">{t("profile.requestsHint")}</p>
      {drafts.map((draft, index) => (
        <RequestField
          key={index}
          draft={draft}
          onChange={(changed) => onChange(drafts.with(index, changed))}
          onRemove={() => onChange(drafts.toSpliced(index, 1))}
        />
      ))}
      {drafts.length < DRAFTS_MAX && (
        <Button icon={Plus} class="btn btn-sm self-start" onClick={() => onChange([...drafts, newDraft])}>
          {t("profile.addRequest")}
        </Button>
      )}
    </Section>
  );
}

function RequestField(props: {
  draft: RequestDraft;
  onChange: (draft: RequestDraft) => void;
  onRemove: () => void;
}) {
  const { draft, onChange } = props;
  const setKind = (isScript: boolean) =>
    onChange({ ...draft, kind: isScript ? "script" : "reply", text: isScript ? SCRIPT_EXAMPLE : "{}" });
  return (
    <div class="flex flex-col gap-3 border-l-2 border-base-300 pl-4">
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("common.method")}
          required
          maxLength={maxLengthOf(
            "profiles/profiles.schemas.ts",
            "createProfileBody",
            "deviceRequests.[].method",
          )}
          autocapitalize="off"
          spellcheck={false}
          class="input reading w-full"
          value={draft.method}
          onText={(method) => onChange({ ...draft, method })}
        />
        <SelectField
          label={t("profile.requestKind")}
          value={draft.kind}
          options={[
            ["reply", t("profile.requestReply")],
            ["script", t("common.script")],
          ]}
          onSelect={(kind) => setKind(kind === "script")}
        />
      </div>
      <TextAreaField
        label={t(draft.kind === "script" ? "common.script" : "profile.requestJson")}
        error={isValidDraft(draft) ? undefined : t("profile.requestInvalid")}
        rows={4}
        spellcheck={false}
        value={draft.text}
        onText={(text) => onChange({ ...draft, text })}
      />
      <button type="button" class="btn btn-ghost btn-sm self-start" onClick={props.onRemove}>
        {t("profile.removeRequest")}
      </button>
    </div>
  );
}
