"""The fixtures give what they promise, on the real servers."""

import aio_pika
import pytest
import redis.asyncio as redis
from sqlalchemy import text

from pilothouse.base.database import Database
from tests.conftest import MakePostgres, MakeRedis
from tests.databases import tell


@pytest.mark.parametrize("attempt", [1, 2])
async def test_every_test_gets_a_database_without_the_rows_of_the_last(database_url: str, attempt: int):
    database = Database(database_url)
    async with database.writing() as session:
        await session.execute(text("create table left_behind (n integer)"))
    await database.close()


@pytest.mark.scaled
@pytest.mark.parametrize("attempt", [1, 2])
async def test_redis_is_empty_at_the_start_of_every_test(redis_url: str, attempt: int):
    async with redis.from_url(redis_url) as client:
        assert await client.dbsize() == 0
        await client.set("left", attempt)


@pytest.mark.scaled
async def test_the_broker_takes_a_message_and_gives_it_back(broker_url: str, broker_prefix: str):
    connection = await aio_pika.connect(broker_url)
    async with connection:
        channel = await connection.channel()
        queue = await channel.declare_queue(f"{broker_prefix}.bell", exclusive=True)
        await channel.default_exchange.publish(aio_pika.Message(b"ring"), routing_key=queue.name)
        message = await queue.get(timeout=5)
        assert message.body == b"ring"
        await message.ack()


@pytest.mark.scaled
async def test_a_killed_postgres_keeps_what_was_committed(private_postgres: MakePostgres):
    server = private_postgres()
    await tell(server.url, "create table kept as select 7 as n")

    server.kill()
    assert not server.answers()
    server.start()

    database = Database(server.url)
    async with database.reading() as session:
        assert await session.scalar(text("select n from kept")) == 7
    await database.close()


@pytest.mark.scaled
async def test_a_private_redis_can_be_stopped_and_comes_back_on_its_port(private_redis: MakeRedis):
    server = private_redis()
    first = server.pid
    server.restart()
    assert server.pid != first
    assert server.answers()
