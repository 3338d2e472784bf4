"""Arithmetic that never answers with something that is no number."""

from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from typing import Annotated, Literal

from pydantic import Field

from pilothouse.blocks.contract import (
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)

LARGEST = 2**63  # what every reader of our JSON takes as a whole number


class CalculatorIn(BlockInput):
    operation: Annotated[
        Literal["Add", "Subtract", "Multiply", "Divide", "Power", "Modulo"], Field(description="What to do.")
    ]
    a: Annotated[int | float, Field(description="The first number.")]
    b: Annotated[int | float, Field(description="The second number.")]
    round_result: Annotated[bool, Field(description="Give the nearest whole number; a half goes away from 0.")] = False


class CalculatorOut(BlockOutput):
    result: int | float | None = None


@block(
    id="b1ab9b19-67a6-406d-abf5-2dba76d00c79",
    name="Calculator",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    examples=[
        Example(ask={"operation": "Add", "a": 2, "b": 3}, fires=[("result", 5)]),
        Example(ask={"operation": "Subtract", "a": 2, "b": 0.5}, fires=[("result", 1.5)]),
        Example(ask={"operation": "Multiply", "a": "4", "b": 3}, fires=[("result", 12)]),
        Example(ask={"operation": "Divide", "a": 5, "b": 2, "round_result": True}, fires=[("result", 3)]),
        Example(ask={"operation": "Power", "a": 2, "b": 10}, fires=[("result", 1024)]),
        Example(ask={"operation": "Modulo", "a": 7, "b": 3}, fires=[("result", 1)]),
        Example(ask={"operation": "Divide", "a": 1, "b": 0}, fires=[("error", "division by zero")]),
        Example(ask={"operation": "Power", "a": 10, "b": 400}, fires=[("error", "the result is too large")]),
        Example(ask={"operation": "Power", "a": -2, "b": 0.5}, fires=[("error", "the result is no real number")]),
        Example(ask={"operation": "Root", "a": 1, "b": 1}, fails="invalid_input"),
    ],
)
async def calculator(ask: CalculatorIn, ctx: BlockContext) -> CalculatorOut:
    """Add, subtract, multiply or divide two numbers, or raise one to a power."""
    try:
        result = calculated(ask.operation, ask.a, ask.b)
        return CalculatorOut(result=rounded(result) if ask.round_result else result)
    except ZeroDivisionError:
        return CalculatorOut(error="division by zero")
    except OverflowError:
        return CalculatorOut(error="the result is too large")
    except ValueError as fault:
        return CalculatorOut(error=str(fault))


def calculated(operation: str, a: int | float, b: int | float) -> int | float:
    """Raises `ZeroDivisionError`, `OverflowError`, or `ValueError` with words for the user."""
    match operation:
        case "Add":
            result = a + b
        case "Subtract":
            result = a - b
        case "Multiply":
            result = a * b
        case "Divide":
            result = a / b
        case "Modulo":
            result = a % b
        case _:
            result = power(a, b)
    if abs(result) > LARGEST if isinstance(result, int) else not isfinite(result):
        raise OverflowError
    return result


def power(a: int | float, b: int | float) -> int | float:
    """Whole numbers stay whole only while the result is sure to be small; a tower of digits is never built."""
    if isinstance(a, int) and isinstance(b, int) and b >= 0 and a.bit_length() * b <= 64:
        return a**b
    result = float(a) ** float(b)
    if isinstance(result, complex):
        raise ValueError("the result is no real number")
    return result


def rounded(number: int | float) -> int:
    whole = int(Decimal(number).to_integral_value(ROUND_HALF_UP))
    if abs(whole) > LARGEST:
        raise OverflowError
    return whole
