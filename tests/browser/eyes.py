"""What a careful visitor notices: errors in the console, foreign requests, clipped text, barriers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

from tests.app.commands import ROOT

AXE = (ROOT / "web/node_modules/axe-core/axe.min.js").read_text
COLOURS = ("color-contrast",)  # all that another theme can change

LOOK_FOR_BARRIERS = """async (only) => {
  const runOnly = only.length > 0 ? {runOnly: {type: 'rule', values: only}} : {};
  const found = await axe.run(document, {resultTypes: ['violations'], ...runOnly});
  return found.violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}"""

# An ellipsis is fair where the whole is one step behind it: a link, what folds out, a choice, a title to hover.
LOOK_FOR_CLIPPED = """() => {
  const whole = (element) => element.closest('a, summary, [role=option], [title]') || element.querySelector('a');
  const found = [];
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page: ${root.scrollWidth} > ${root.clientWidth}`);
  for (const element of document.querySelectorAll('body *')) {
    const style = getComputedStyle(element);
    if (element.closest('.unseen, svg, .builder-canvas') || style.visibility === 'hidden') continue;
    if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth === 0) continue;
    const scrolls = ['auto', 'scroll'].includes(style.overflowX);
    if (scrolls && element.closest('.table-frame, .code, .code-text, .palette-list')) continue;
    if (style.display === 'inline' || (style.textOverflow === 'ellipsis' && whole(element))) continue;
    if (style.overflowX === 'visible' && element.scrollWidth - element.clientWidth < 4) continue;
    found.push(`${element.tagName}.${element.className} ${element.scrollWidth} > ${element.clientWidth}: `
      + element.textContent.slice(0, 60));
  }
  return found;
}"""

SUM_OF_SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  const seen = new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  });
  seen.observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})"""


@dataclass
class Eyes:
    """Watches every page of a context from its first moment."""

    context: BrowserContext
    origin: str
    allowed: Sequence[str] = ()
    faults: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.faults.append(f"exception: {error.error}"))
        self.context.on("request", self._request)
        self.context.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).scheme.startswith(("http", "ws")) and not request.url.startswith(self.origin):
            self.faults.append(f"foreign: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.faults.append(f"{response.status}: {response.url}")

    def saw_nothing_wrong(self) -> None:
        wrong = [fault for fault in self.faults if not any(part in fault for part in self.allowed)]
        assert not wrong, "\n".join(wrong)


def barriers(page: Page, only: Sequence[str] = ()) -> list[str]:
    """Serious and critical findings of axe-core, by all of its rules or only these.

    It is handed to the debugger, so the page's policy stays as it is.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE())
    return page.evaluate(LOOK_FOR_BARRIERS, list(only))


def clipped(page: Page) -> list[str]:
    """Text that cannot be read because its box is too narrow, and pages that scroll sideways."""
    return page.evaluate(LOOK_FOR_CLIPPED)


def shifted(page: Page) -> float:
    """How much of the page has jumped since it was opened."""
    return page.evaluate(SUM_OF_SHIFTS)
