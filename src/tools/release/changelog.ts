/** Returns the text of one section of a changelog in the form of https://keepachangelog.com, without its heading. */
export function changesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) return undefined;
  const body = section.slice(section.indexOf("\n") + 1).replace(/^\[[^\]]+\]: .*$/gm, "");
  return `${body.trim()}\n`;
}
