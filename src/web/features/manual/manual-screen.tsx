import { ChevronDown, ChevronUp } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { BASE } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { language } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { Empty } from "../../ui/page/empty.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { findInManual, loadManual, type ManualPage, type ManualSection } from "./manual-api.ts";

/** Offline manual of the gateway. */
export function ManualScreen() {
  const { query, path, route } = useLocation();
  const { page } = useRoute().params;
  const manual = useResource(() => loadManual(language.value), [language.value]);
  const search = query.search ?? "";
  const all = manual.data?.flatMap(({ pages }) => pages) ?? [];
  const shown = page ? all.find(({ id }) => id === page) : all[0];
  if (manual.data && !shown && search === "") return <NotFoundScreen />;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 lg:p-8">
      <PageHead title={t("manual.title")}>
        <SearchBox
          label={t("manual.search")}
          value={search}
          onSearch={(text) => route(text ? `${path}?search=${encodeURIComponent(text)}` : path, true)}
        />
      </PageHead>
      <Loaded of={manual}>
        {(sections) => (
          <>
            {search !== "" && <Found pages={all} search={search} />}
            {search === "" && shown && (
              <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[14rem_minmax(0,1fr)]">
                <Contents key={shown.id} sections={sections} current={shown.id} />
                <Page page={shown} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Pages of the manual. On a small screen they are folded, so that the page itself is visible. */
function Contents({ sections, current }: { sections: readonly ManualSection[]; current: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <nav aria-label={t("manual.pages")} class="flex flex-col gap-4">
      <Button
        icon={isOpen ? ChevronUp : ChevronDown}
        class="btn btn-sm self-start lg:hidden"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t("manual.pages")}
      </Button>
      {sections.map(({ id, pages }) => (
        <div key={id} class={isOpen ? "" : "max-lg:hidden"}>
          <h2 class="panel-label mb-1">{t(`manual.${id}` as "manual.devices")}</h2>
          <ul class="flex flex-wrap gap-x-4 lg:flex-col">
            {pages.map((page) => (
              <li key={page.id}>
                <a
                  class="block py-1 text-sm text-soft hover:text-base-content aria-[current=page]:font-semibold aria-[current=page]:text-base-content"
                  href={`/manual/${page.id}`}
                  aria-current={page.id === current ? "page" : undefined}
                >
                  {page.title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Page({ page }: { page: ManualPage }) {
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    const anchor = decodeURIComponent(location.hash.slice(1));
    if (anchor !== "") document.getElementById(anchor)?.scrollIntoView();
  }, [page.id]);
  return (
    <article ref={article} class="panel manual min-w-0 p-5 lg:p-8">
      <h2 class="mb-4 text-xl font-semibold">{page.title}</h2>
      {page.language !== language.value && <p class="mb-4 text-soft">{t("manual.language")}</p>}
      <div
        lang={page.language}
        dangerouslySetInnerHTML={{ __html: page.html.replaceAll(/href="(?=\/)/g, `href="${BASE}`) }}
      />
    </article>
  );
}

function Found({ pages, search }: { pages: readonly ManualPage[]; search: string }) {
  const found = findInManual(pages, search);
  if (found.length === 0)
    return (
      <div class="panel">
        <Empty title={t("manual.none")} hint={t("manual.noneHint")} />
      </div>
    );
  return (
    <ul class="panel divide-y divide-base-300/60" data-testid="found">
      {found.map(({ page, excerpt }) => (
        <li key={page.id} class="px-4 py-3">
          <a class="link link-hover font-medium" href={`/manual/${page.id}`}>
            {page.title}
          </a>
          <p class="text-sm text-soft wrap-anywhere">{excerpt}</p>
        </li>
      ))}
    </ul>
  );
}
