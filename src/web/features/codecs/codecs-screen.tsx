import { ArrowLeft, FileCode, Plus } from "lucide-preact";
import { useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Age } from "../../ui/age.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { CodecPage } from "./codec-page.tsx";
import { codecsApi, type ListedCodec } from "./codecs-api.ts";

/** The library of codecs: all of them, or one with its source and a trial. */
export function CodecsScreen() {
  const { codecId } = useRoute().params;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      {codecId ? (
        <CodecPage key={codecId} codecId={codecId === "new" ? undefined : codecId} />
      ) : (
        <CodecsPage />
      )}
    </div>
  );
}

function CodecsPage() {
  const list = useResource(codecsApi.list, []);
  const create = may("integrations:write") && (
    <a class="btn btn-primary btn-sm" href="/integrations/codecs/new">
      <Plus size={16} aria-hidden="true" />
      {t("codecs.create")}
    </a>
  );
  const isEmpty = list.data?.length === 0;
  return (
    <>
      <a
        class="link link-hover inline-flex items-center gap-1.5 self-start text-sm text-soft"
        href="/integrations"
      >
        <ArrowLeft size={14} aria-hidden="true" />
        {t("integrations.all")}
      </a>
      <PageHead title={t("nav.codecs")}>{!isEmpty && create}</PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t("codecs.intro")}</p>
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && (
        <div class="panel">
          <Empty
            icon={<FileCode size={32} aria-hidden="true" />}
            title={t("codecs.none")}
            hint={t("codecs.noneHint")}
          >
            {create}
          </Empty>
        </div>
      )}
      {list.data && !isEmpty && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("nav.codecs")}>
          {list.data.map((codec) => (
            <CodecRow key={codec.codecId} codec={codec} />
          ))}
        </ul>
      )}
    </>
  );
}

function CodecRow({ codec }: { codec: ListedCodec }) {
  const { codecId, name, description, functions, usedBy, updatedAt } = codec;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/integrations/codecs/${codecId}`}>
          {name}
        </a>
        {description !== null && description !== "" && (
          <p class="line-clamp-2 text-sm text-soft wrap-anywhere">{description}</p>
        )}
      </div>
      <p class="reading min-w-0 flex-[1_1_12rem] text-sm wrap-anywhere">{functions.join(", ")}</p>
      <p class="flex-[1_1_10rem] text-sm text-soft">
        {usedBy.length === 0 ? t("codecs.unused") : plural("codecs.usedBy", usedBy.length)} ·{" "}
        <Age ts={toMs(updatedAt)} />
      </p>
    </li>
  );
}
