"""Reviews: what an agent asks a person before it goes on."""

from pilothouse.features.reviews.errors import AlreadyDecided, ReviewNotFound, ReviewPayloadChanged
from pilothouse.features.reviews.queries import is_approved_for_node, list_reviews
from pilothouse.features.reviews.review import FACT, SENSITIVE, NewReview, Review, payload_hash
from pilothouse.features.reviews.schemas import ReviewList, ReviewState
from pilothouse.features.reviews.service import Reviews
from pilothouse.features.reviews.writes import FORGET_REVIEWS, Answer, close_reviews, insert_review

__all__ = [
    "FACT",
    "FORGET_REVIEWS",
    "SENSITIVE",
    "AlreadyDecided",
    "Answer",
    "NewReview",
    "Review",
    "ReviewList",
    "ReviewNotFound",
    "ReviewPayloadChanged",
    "ReviewState",
    "Reviews",
    "close_reviews",
    "insert_review",
    "is_approved_for_node",
    "list_reviews",
    "payload_hash",
]
