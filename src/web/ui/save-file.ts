/** Downloads the response of an address; the response names the file. */
export function saveLink(href: string, name = ""): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  saveLink(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
