import { KeyRound, Pencil, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useCreateDialog } from "../../platform/use-create-dialog.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { ApiKeyDialog } from "./api-key-dialog.tsx";
import type { ApiKey } from "./api-keys-api.ts";
import { apiKeysApi } from "./api-keys-api.ts";

interface Question {
  readonly kind: "rename" | "revoke";
  readonly apiKey: ApiKey;
}

export function ApiKeysPage() {
  const list = useResource(apiKeysApi.list, []);
  const creating = useCreateDialog();
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const create = (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={creating.open}>
      {t("keys.create")}
    </Button>
  );
  const answered = (changed: boolean) => {
    setQuestion(undefined);
    if (changed) list.reload();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-start justify-between gap-3">
        <p class="max-w-2xl text-soft">{t("keys.intro")}</p>
        {(list.data?.length ?? 0) > 0 && create}
      </div>
      <ErrorNote of={list} />
      {!list.data && list.loading && <p class="text-soft">{t("common.loading")}</p>}
      {list.data?.length === 0 && (
        <EmptyPanel icon={KeyRound} title={t("keys.none")} hint={t("keys.noneHint")}>
          {create}
        </EmptyPanel>
      )}
      {list.data && list.data.length > 0 && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("page.api-keys")}>
          {list.data.map((apiKey) => (
            <KeyRow key={apiKey.apiKeyId} apiKey={apiKey} onAsk={setQuestion} />
          ))}
        </ul>
      )}
      {creating.isOpen && (
        <ApiKeyDialog
          onClose={(created) => {
            creating.close();
            if (created) list.reload();
          }}
        />
      )}
      {question?.kind === "rename" && <RenameDialog apiKey={question.apiKey} onClose={answered} />}
      {question?.kind === "revoke" && <RevokeDialog apiKey={question.apiKey} onClose={answered} />}
    </div>
  );
}

function creatorOf({ createdBy, createdByName }: ApiKey): string {
  if (createdBy === null) return t("keys.createdByCommand");
  return createdByName === "" ? t("keys.createdByGone") : t("keys.createdBy", { name: createdByName });
}

function KeyRow({ apiKey, onAsk }: { apiKey: ApiKey; onAsk: (question: Question) => void }) {
  const { name, hint, role, status, hasGlobalDeviceAccess, deviceIds } = apiKey;
  const expiresAt = toMs(apiKey.expiresAt);
  const works = status === "ACTIVE";
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_14rem]">
        <p class="truncate font-medium">{name}</p>
        <p class="truncate text-sm text-soft">
          <span class="reading">{hint}</span> · {creatorOf(apiKey)}
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_10rem]">
        <p>{t(`role.${role}`)}</p>
        <p class="text-sm text-soft">
          {hasGlobalDeviceAccess ? t("common.allDevices") : plural("devices.count", deviceIds.length)}
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_12rem]">
        <p class={works ? "" : "text-error"}>{t(`keyStatus.${status}`)}</p>
        <p class="text-sm text-soft">
          {t("keys.expires")}: {expiresAt === undefined ? t("common.never") : formatDate(expiresAt, "full")}
        </p>
        <p class="text-sm text-soft">
          {t("keys.lastUsed")}: <Age ts={toMs(apiKey.lastUsedAt)} />
        </p>
      </div>
      <div class="flex gap-1">
        <button
          type="button"
          class="btn btn-ghost btn-sm"
          aria-label={t("keys.renameOf", { name })}
          title={t("keys.rename")}
          onClick={() => onAsk({ kind: "rename", apiKey })}
        >
          <Pencil size={16} aria-hidden="true" />
        </button>
        <button
          type="button"
          class="btn btn-ghost btn-sm text-error"
          aria-label={t("keys.revokeOf", { name })}
          title={t("keys.revoke")}
          onClick={() => onAsk({ kind: "revoke", apiKey })}
        >
          <Trash2 size={16} aria-hidden="true" />
        </button>
      </div>
    </li>
  );
}

interface QuestionProps {
  readonly apiKey: ApiKey;
  readonly onClose: (changed: boolean) => void;
}

function RenameDialog({ apiKey, onClose }: QuestionProps) {
  const action = useAction();
  const problem = fieldProblem(action.error, ["name"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const name = String(new FormData(e.currentTarget).get("name")).trim();
    action.run(async () => {
      await apiKeysApi.rename(apiKey.apiKeyId, name);
      onClose(true);
    });
  };
  return (
    <Dialog title={t("keys.renameOf", { name: apiKey.name })} onClose={() => onClose(false)}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label={t("common.name")}
          error={problem?.field === "name" ? problem.text : undefined}
          name="name"
          required
          maxLength={100}
          pattern=".*\S.*"
          defaultValue={apiKey.name}
          autofocus
        />
        {action.error !== undefined && !problem && <ErrorNote error={action.error} />}
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={() => onClose(false)}>
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}

function RevokeDialog({ apiKey, onClose }: QuestionProps) {
  const { name, apiKeyId } = apiKey;
  return (
    <ConfirmDialog
      title={t("keys.revokeOf", { name })}
      warning={t("keys.revokeWarning", { name })}
      action={t("keys.revoke")}
      onCancel={() => onClose(false)}
      onConfirm={async () => {
        await apiKeysApi.revoke(apiKeyId);
        toast("success", t("keys.revoked", { name }));
        onClose(true);
      }}
    />
  );
}
