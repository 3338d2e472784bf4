"""OpenAI's chat completions and Anthropic's messages, as server-sent events."""

from collections.abc import Iterator
from typing import Any

from pilothouse.kit.json import dumps
from tests.providers.script import Answer


def openrouter_events(answer: Answer) -> Iterator[str]:
    """OpenAI's wire, with another name for thoughts."""
    return openai_events(answer, thoughts="reasoning")


def openai_events(answer: Answer, thoughts: str = "reasoning_content") -> Iterator[str]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "test", "choices": [choice]}
        return f"data: {dumps(body)}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for piece in answer.thinking:
        yield chunk({thoughts: piece})
    for piece in answer.text:
        yield chunk({"content": piece})
    for index, tool in enumerate(answer.tools):
        named = {"index": index, "id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": ""}}
        yield chunk({"tool_calls": [named]})
        half = len(tool.arguments) // 2
        for part in (tool.arguments[:half], tool.arguments[half:]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    if answer.ends != "wholly":
        return
    yield chunk({}, "tool_calls" if answer.tools else "stop")
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    last: dict[str, Any] = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "test"}
    yield f"data: {dumps({**last, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def anthropic_events(answer: Answer) -> Iterator[str]:
    def event(kind: str, **body: Any) -> str:
        return f"event: {kind}\ndata: {dumps({'type': kind, **body})}\n\n"

    def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[str]:
        yield event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)

    message: dict[str, Any] = {"id": "msg-1", "type": "message", "role": "assistant", "model": "test", "content": []}
    ends = {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 1}}
    yield event("message_start", message={**message, **ends})
    index = 0
    if answer.thinking:
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in answer.thinking]
        deltas.append({"type": "signature_delta", "signature": "signed"})
        yield from block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if answer.text:
        yield from block(index, {"type": "text", "text": ""}, [{"type": "text_delta", "text": t} for t in answer.text])
        index += 1
    for tool in answer.tools:
        start: dict[str, Any] = {"type": "tool_use", "id": tool.id, "name": tool.name, "input": {}}
        yield from block(index, start, [{"type": "input_json_delta", "partial_json": tool.arguments}])
        index += 1
    if answer.ends != "wholly":
        return
    reason = {"stop_reason": "tool_use" if answer.tools else "end_turn", "stop_sequence": None}
    yield event("message_delta", delta=reason, usage={"output_tokens": 7})
    yield event("message_stop")
