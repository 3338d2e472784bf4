"""Hands that only have a keyboard."""

from playwright.sync_api import Page

FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return '';
  const label = element.labels?.[0]?.textContent;
  return (element.getAttribute('aria-label') || label || element.textContent || '').trim();
}"""
MOST = 80


def focused(page: Page) -> str:
    """What the focus is on, by its name."""
    return page.evaluate(FOCUSED)


def tab_to(page: Page, name: str, *, backwards: bool = False) -> None:
    """Press Tab until the thing of this name has the focus."""
    passed: list[str] = []
    for _ in range(MOST):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        here = focused(page)
        if here == name:
            return
        passed.append(here)
    raise AssertionError(f"no way to {name!r} by keyboard; passed {passed}")
