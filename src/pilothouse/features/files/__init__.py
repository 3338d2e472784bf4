"""Files: what people upload and what runs and sessions write, each under a path in somebody's workspace."""

from pilothouse.features.files.cabinet import Cabinet, KeptFile, Limits, NewFile
from pilothouse.features.files.errors import (
    FileCorrupt,
    FileTooLarge,
    PathInvalid,
    PathTaken,
    QuotaExceeded,
    ReferenceInvalid,
    StoredFileNotFound,
)
from pilothouse.features.files.expansion import FileExpander
from pilothouse.features.files.parcels import Item, Parcel, Skipped, item_of, packed
from pilothouse.features.files.paths import checked_place, run_folder, session_folder
from pilothouse.features.files.schemas import ParcelOut
from pilothouse.features.files.sending import sending
from pilothouse.features.files.service import delete_file, move_file, restore_file
from pilothouse.features.files.upkeep import FileUpkeep
from pilothouse.features.files.writes import RELEASE, SHELVE, Shelved
from pilothouse.features.files.zip_names import entry_name

__all__ = [
    "RELEASE",
    "SHELVE",
    "Cabinet",
    "FileCorrupt",
    "FileExpander",
    "FileTooLarge",
    "FileUpkeep",
    "Item",
    "KeptFile",
    "Limits",
    "NewFile",
    "Parcel",
    "ParcelOut",
    "PathInvalid",
    "PathTaken",
    "QuotaExceeded",
    "ReferenceInvalid",
    "Shelved",
    "Skipped",
    "StoredFileNotFound",
    "checked_place",
    "delete_file",
    "entry_name",
    "item_of",
    "move_file",
    "packed",
    "restore_file",
    "run_folder",
    "sending",
    "session_folder",
]
