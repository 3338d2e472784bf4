"""OpenAI's chat completions, OpenRouter's and Anthropic's messages, as server-sent events."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from pilothouse.kit.json import dumps
from tests.providers.script import UNSAID, Answer, Tokens, Tool

Body: TypeAlias = dict[str, Any]


_NAME = re.compile(r'^{"type": ?"(\w+)"')

# What keeps a connection open while there is nothing to say. OpenAI sends nothing then.
BEATS = {
    "openai": "",
    "openrouter": ": OPENROUTER PROCESSING\n\n",
    "anthropic": 'event: ping\ndata: {"type": "ping"}\n\n',
}


def with_beats(pieces: Iterator[str], beat: str) -> Iterator[str]:
    """One before each piece but the first."""
    for n, piece in enumerate(pieces):
        yield beat + piece if n else piece


def with_raw(pieces: Iterator[str], raw: tuple[str, ...]) -> Iterator[str]:
    """Events as they are behind the first. Anthropic's have a name, which stands in their data too."""
    for n, piece in enumerate(pieces):
        yield piece
        for data in raw if n == 0 else ():
            name = _NAME.search(data)
            yield (f"event: {name[1]}\n" if name else "") + f"data: {data}\n\n"


def openrouter_events(answer: Answer, asked: Body) -> Iterator[str]:
    """OpenAI's wire with another name for thoughts, the reason of the maker, and, for who asks, the price."""
    priced = asked.get("usage", {}).get("include") is True
    told = answer if priced else replace(answer, cost=UNSAID)
    counts = priced or _wants_usage(asked)
    return _completions(told, answer.channel or "reasoning", {"provider": "Loopback"}, counts=counts)


def openai_events(answer: Answer, asked: Body) -> Iterator[str]:
    """A price is none of OpenAI's own; proxies that speak its wire tell one unasked."""
    return _completions(answer, answer.channel or "reasoning_content", {}, counts=_wants_usage(asked))


def _wants_usage(asked: Body) -> bool:
    return asked.get("stream_options", {}).get("include_usage") is True


def _completions(answer: Answer, channel: str, more: Body, *, counts: bool) -> Iterator[str]:
    head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": answer.model, **more}

    def chunk(delta: Body, finish: str | None = None) -> str:
        native = {"native_finish_reason": finish} if more else {}
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish, **native}]})

    yield chunk({"role": "assistant", "content": ""})
    for delta in (*_thoughts(answer, channel), *answer.odd, *({"content": piece} for piece in answer.text)):
        yield chunk(delta)
    for voice, piece in answer.turns:
        yield chunk({channel if voice == "thinking" else "content": piece})
    for index, tool in enumerate(answer.tools):
        for delta in _call(index, tool):
            yield chunk({"tool_calls": [delta]})
    if answer.ends == "overloaded":
        yield _data({"error": {"code": 529, "message": answer.complaint, "type": "overloaded_error"}})
    if answer.ends != "wholly":
        return
    yield chunk({}, "tool_calls" if answer.tools else "stop")
    if answer.tokens is not None and counts:
        yield _data({**head, "choices": [], "usage": _completion_usage(answer, answer.tokens)})
    yield "data: [DONE]\n\n"


def _data(body: Body) -> str:
    return f"data: {_json(body)}\n\n"


def _json(value: Any) -> str:
    """JSON, and also what is none but comes from real servers: NaN and infinity."""
    marks = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    odd = value.get("usage", {}).get("cost") if isinstance(value.get("usage"), dict) else None
    if not (isinstance(odd, float) and str(odd) in marks):
        return dumps(value)
    usage = value["usage"] | {"cost": "<odd>"}
    return dumps(value | {"usage": usage}).replace('"<odd>"', marks[str(odd)])


def _thoughts(answer: Answer, channel: str) -> Iterator[Body]:
    for piece in answer.thinking:
        if channel == "reasoning_details":
            yield {channel: [{"type": "reasoning.text", "text": piece, "index": 0, "format": "unknown"}]}
        else:
            yield {channel: piece}
    for detail in answer.details:
        yield {"reasoning_details": [detail]}


def _call(index: int, tool: Tool) -> Iterator[Body]:
    yield {"index": index, "id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": ""}}
    half = len(tool.arguments) // 2
    for part in (tool.arguments[:half], tool.arguments[half:]):
        yield {"index": index, "function": {"arguments": part}}


def _completion_usage(answer: Answer, tokens: Tokens) -> Body:
    prompt = tokens.prompt + tokens.cache_read + tokens.cache_write
    usage: Body = {"prompt_tokens": prompt, "completion_tokens": tokens.completion}
    usage["total_tokens"] = prompt + tokens.completion
    if tokens.cache_read or tokens.cache_write:
        details = {"cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write}
        usage["prompt_tokens_details"] = details
    usage |= tokens.beside
    return usage if answer.cost is UNSAID else usage | {"cost": answer.cost}


def anthropic_events(answer: Answer, asked: Body) -> Iterator[str]:
    tokens = answer.tokens or Tokens(0, 0)
    message: Body = {"id": "msg-1", "type": "message", "role": "assistant", "model": answer.model}
    ends: Body = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": _message_usage(tokens)}
    yield _event("message_start", message={**message, **ends})
    for index, (start, deltas) in enumerate(_blocks(answer)):
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    if answer.ends == "overloaded":
        yield _event("error", error={"type": "overloaded_error", "message": answer.complaint})
    if answer.ends != "wholly":
        return
    reason = {"stop_reason": "tool_use" if answer.tools else "end_turn", "stop_sequence": None}
    yield _event("message_delta", delta=reason, usage={"output_tokens": tokens.completion})
    yield _event("message_stop")


def _event(kind: str, **body: Any) -> str:
    return f"event: {kind}\ndata: {dumps({'type': kind, **body})}\n\n"


def _message_usage(tokens: Tokens) -> Body:
    usage: Body = {"input_tokens": tokens.prompt, "output_tokens": 1}
    if tokens.cache_read or tokens.cache_write:
        usage["cache_read_input_tokens"] = tokens.cache_read
        usage["cache_creation_input_tokens"] = tokens.cache_write
    return usage


def _blocks(answer: Answer) -> Iterator[tuple[Body, list[Body]]]:
    if answer.thinking:
        yield _thinking(answer.thinking)
    if answer.text:
        yield _text(answer.text)
    for voice, piece in answer.turns:
        yield _thinking((piece,)) if voice == "thinking" else _text((piece,))
    for tool in answer.tools:
        start: Body = {"type": "tool_use", "id": tool.id, "name": tool.name, "input": {}}
        yield start, [{"type": "input_json_delta", "partial_json": tool.arguments}]


def _thinking(pieces: tuple[str, ...]) -> tuple[Body, list[Body]]:
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signature = {"type": "signature_delta", "signature": "signed"}
    return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]


def _text(pieces: tuple[str, ...]) -> tuple[Body, list[Body]]:
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
