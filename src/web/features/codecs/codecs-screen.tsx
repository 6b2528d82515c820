import { FileCode, Search } from "lucide-preact";
import { useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink } from "../../ui/page/row-buttons.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { Age } from "../../ui/state/age.tsx";
import { CodecIndexPage } from "./codec-index-page.tsx";
import { CodecPage } from "./codec-page.tsx";
import { codecsApi, type ListedCodec } from "./codecs-api.ts";

/** Library of codecs: all of them, or one with its source and a test. */
export function CodecsScreen() {
  const { codecId } = useRoute().params;
  return (
    <Page>
      {codecId === "index" ? (
        <CodecIndexPage />
      ) : codecId ? (
        <CodecPage key={codecId} codecId={codecId === "new" ? undefined : codecId} />
      ) : (
        <CodecsPage />
      )}
    </Page>
  );
}

function CodecsPage() {
  const list = useResource(codecsApi.list, []);
  return (
    <>
      <Trail steps={[{ href: "/integrations", text: t("nav.integrations") }]} />
      <ResourceList
        title={t("nav.codecs")}
        intro={t("codecs.intro")}
        list={list}
        icon={FileCode}
        none={[t("codecs.none"), t("codecs.noneHint")]}
        actions={
          <a class="btn btn-ghost btn-sm" href="/integrations/codecs/index">
            <Search size={16} aria-hidden="true" />
            {t("codecIndex.title")}
          </a>
        }
        create={
          may("integrations:write") && (
            <CreateLink href="/integrations/codecs/new">{t("codecs.create")}</CreateLink>
          )
        }
      >
        {(codec) => <CodecRow key={codec.codecId} codec={codec} />}
      </ResourceList>
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
